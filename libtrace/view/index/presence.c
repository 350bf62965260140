/*
 * Counts scopes by timer and part of the time. See presence.h.
 */
#include "view/index/presence.h"

#include <string.h>

int tk_presence_init(struct tk_presence *p, unsigned shift, size_t budget)
{
    *p = (struct tk_presence){.shift = shift, .budget = budget};
    p->parts = calloc(TK_PRESENCE_PARTS, sizeof *p->parts);
    return p->parts ? 0 : -1;
}

void tk_presence_release(struct tk_presence *p)
{
    for (size_t i = 0; p->parts && i < TK_PRESENCE_PARTS; i++)
        free(p->parts[i].counts);
    free(p->parts);
    *p = (struct tk_presence){0};
}

static int64_t half(int64_t part)
{
    return part >= 0 ? part >> 1 : ~(~part >> 1);
}

static int widen_part(struct tk_presence *p, struct tk_presence_part *part, size_t n)
{
    if (n <= part->n)
        return 0;
    n = n < part->n + part->n / 2 ? part->n + part->n / 2 : n;
    uint32_t *counts = realloc(part->counts, n * sizeof *counts);
    if (!counts)
        return -1;
    memset(counts + part->n, 0, (n - part->n) * sizeof *counts);
    p->held += n - part->n;
    part->counts = counts;
    part->n = n;
    return 0;
}

/* Makes one part of two. */
static int merge_parts(struct tk_presence *p, struct tk_presence_part *to, struct tk_presence_part *from)
{
    if (widen_part(p, to, from->n))
        return -1;
    for (size_t i = 0; i < from->n; i++)
        to->counts[i] += from->counts[i];
    p->held -= from->n;
    free(from->counts);
    *from = (struct tk_presence_part){0};
    return 0;
}

/* Parts become twice as long. */
static int fold_presence(struct tk_presence *p)
{
    const int64_t first = half(p->first);
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const size_t at = (size_t)((uint64_t)half((int64_t)((uint64_t)p->first + i)) - (uint64_t)first);
        if (at < i && merge_parts(p, &p->parts[at], &p->parts[i]))
            return -1;
        n = at + 1;
    }
    p->first = first;
    p->n = n;
    p->shift++;
    return 0;
}

/* Makes room for a part in front of the first one, or behind the last. */
static void reach_part(struct tk_presence *p, int64_t part)
{
    if (!p->n)
        p->first = part;
    if (part < p->first) {
        const size_t more = (size_t)((uint64_t)p->first - (uint64_t)part);
        memmove(p->parts + more, p->parts, p->n * sizeof *p->parts);
        memset(p->parts, 0, more * sizeof *p->parts);
        p->first = part;
        p->n += more;
    }
    const size_t n = (size_t)((uint64_t)part - (uint64_t)p->first) + 1;
    p->n = p->n < n ? n : p->n;
}

static bool fits(const struct tk_presence *p, int64_t part)
{
    if (!p->n)
        return true;
    const int64_t first = part < p->first ? part : p->first;
    const uint64_t behind = (uint64_t)p->first + p->n;
    const uint64_t end =
        part < p->first || (uint64_t)part - (uint64_t)p->first < p->n ? behind : (uint64_t)part + 1;
    return end - (uint64_t)first <= TK_PRESENCE_PARTS;
}

int tk_presence_add(struct tk_presence *p, int64_t part, uint32_t timer, uint32_t n)
{
    while (!fits(p, part) || (p->held > p->budget && p->n > 1)) {
        if (fold_presence(p))
            return -1;
        part = half(part);
    }
    reach_part(p, part);
    struct tk_presence_part *at = &p->parts[(uint64_t)part - (uint64_t)p->first];
    if (widen_part(p, at, (size_t)timer + 1))
        return -1;
    at->counts[timer] += n;
    return 0;
}

int tk_presence_join(struct tk_presence *p, const struct tk_presence *from,
                     uint32_t (*timer_of)(void *ctx, uint32_t timer), void *ctx)
{
    if (!from->n)
        return 0;
    while (p->shift < from->shift && p->n)
        if (fold_presence(p))
            return -1;
    if (p->shift < from->shift)
        p->shift = from->shift;
    for (size_t i = 0; i < from->n; i++) {
        for (size_t k = 0; k < from->parts[i].n; k++) {
            const uint32_t count = from->parts[i].counts[k];
            const int64_t time = (int64_t)(((uint64_t)from->first + i) << from->shift);
            const int64_t part = time >= 0 ? time >> p->shift : ~(~time >> p->shift);
            const uint32_t timer = timer_of ? timer_of(ctx, (uint32_t)k) : (uint32_t)k;
            if (count && timer != UINT32_MAX && tk_presence_add(p, part, timer, count))
                return -1;
        }
    }
    return 0;
}
