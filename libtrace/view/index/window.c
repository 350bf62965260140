/*
 * Windows of an index: which level a zoom is answered with, and the order of boxes.
 *
 *   coarse: cells.c + scopes.c      fine: brief.c + scopes.c
 */
#include "base/err.h"
#include "view/index/index_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Counts scopes by timer and part of the time.
 */

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

/* Makes space for a part in front of the first one, or behind the last. */
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

enum { PIXELS_MOST = 65536, ALL_ROWS = TK_INDEX_ROWS };

/* ---- the order of boxes ---- */

static int by_begin(const void *a, const void *b)
{
    const struct tk_index_box *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

static bool in_order(const struct tk_index_box *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (by_begin(&v[i - 1], &v[i]) > 0)
            return false;
    return true;
}

/* By row, and in a row by begin: what is in order of begin already, as cells are, costs no sorting. */
static int order_boxes(struct tk_index_box *v, size_t n, struct tk_err *err)
{
    size_t *at = calloc(ALL_ROWS + 1, sizeof *at);
    struct tk_index_box *sorted = n ? malloc(n * sizeof *sorted) : NULL;
    if (!at || (n && !sorted)) {
        free(at);
        free(sorted);
        return tk_err_nomem(err, "a window");
    }
    for (size_t i = 0; i < n; i++)
        at[v[i].depth + 1]++;
    for (size_t row = 0; row < ALL_ROWS; row++)
        at[row + 1] += at[row];
    for (size_t i = 0; i < n; i++)
        sorted[at[v[i].depth]++] = v[i];
    for (size_t row = 0, first = 0; row < ALL_ROWS; first = at[row++])
        if (at[row] > first && !in_order(sorted + first, at[row] - first))
            qsort(sorted + first, at[row] - first, sizeof *sorted, by_begin);
    if (n)
        memcpy(v, sorted, n * sizeof *v);
    free(at);
    free(sorted);
    return TK_OK;
}

/* ---- the window ---- */

static int check_question(const struct tk_index *index, const struct tk_index_question *q, struct tk_err *err)
{
    if (q->from >= q->to)
        return tk_err_set(err, TK_EUSAGE, "a window that ends before it begins");
    if (!q->pixels || q->pixels > PIXELS_MOST)
        return tk_err_set(err, TK_EUSAGE, "a window of %u pixels; it can have 1 to %d", q->pixels,
                          PIXELS_MOST);
    for (size_t i = 0; i < q->n_lanes; i++)
        if (q->lanes[i] >= index->lanes.n)
            return tk_err_set(err, TK_EUSAGE, "there is no lane %u", q->lanes[i]);
    return TK_OK;
}

/* The coarsest level whose bins are no wider than a pixel. */
static unsigned level_for(const struct tk_index *index, uint64_t pixel)
{
    unsigned level = 0;
    while (level + 1 < TK_INDEX_LEVELS && tk_index_bin_width(index, level + 1) <= pixel)
        level++;
    return level;
}

/* A lane that is over before such a level has finer cells, and fewer of its scopes in them. */
static unsigned own_level(const struct tk_index_strip *lane, unsigned level)
{
    return !lane->n_levels || level < lane->n_levels ? level : lane->n_levels - 1;
}

static int append(struct tk_index_window *out, const struct tk_index_window *from, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < from->n && rc == TK_OK; i++)
        rc = tk_index_box_add(out, &from->boxes[i], err);
    return rc;
}

/* brief: what was found of the short scopes; NULL: cells of a level. */
static int answer_lane(struct tk_index *index, const struct tk_index_strip *lane,
                       const struct tk_index_question *q, unsigned level, const struct tk_index_window *brief,
                       struct tk_index_window *out, struct tk_err *err)
{
    const size_t first = out->n;
    int rc = brief ? append(out, brief, err) : tk_index_cells_read(index, lane, level, q, out, err);
    if (rc == TK_OK)
        rc = tk_index_long_scopes(index, lane, brief ? 0 : own_level(lane, level), q, out, err);
    return rc == TK_OK && out->n > first ? order_boxes(out->boxes + first, out->n - first, err) : rc;
}

static int answer_lanes(struct tk_index *index, const struct tk_index_question *q, unsigned level,
                        struct tk_index_window *out, struct tk_err *err)
{
    struct tk_index_window *briefs = out->exact && q->n_lanes ? calloc(q->n_lanes, sizeof *briefs) : NULL;
    int rc = TK_OK;
    if (out->exact && q->n_lanes)
        rc = briefs ? tk_index_brief_scopes(index, q, briefs, err) : tk_err_nomem(err, "a window");
    for (size_t i = 0; i < q->n_lanes && rc == TK_OK; i++) {
        rc = answer_lane(index, index->lanes.v[q->lanes[i]], q, level, briefs ? &briefs[i] : NULL, out, err);
        out->ends[i] = out->n;
        if (briefs)
            tk_index_window_release(&briefs[i]);
    }
    for (size_t i = 0; briefs && i < q->n_lanes; i++)
        tk_index_window_release(&briefs[i]);
    free(briefs);
    return rc;
}

int tk_index_window(struct tk_index *index, const struct tk_index_question *q, struct tk_index_window *out,
                    struct tk_err *err)
{
    int rc = check_question(index, q, err);
    out->n = 0;
    if (rc < 0)
        return rc;
    if (q->n_lanes > out->cap_ends &&
        tk_vec_grow((void **)&out->ends, &out->cap_ends, q->n_lanes, sizeof *out->ends))
        return tk_err_nomem(err, "a window");
    const uint64_t pixel = ((uint64_t)q->to - (uint64_t)q->from) / q->pixels;
    const unsigned level = level_for(index, pixel);
    out->exact = pixel < tk_index_bin_width(index, 0) && !q->quick;
    out->width =
        out->exact ? (int64_t)(q->each || pixel < 2 ? 0 : pixel) : (int64_t)tk_index_bin_width(index, level);
    return answer_lanes(index, q, level, out, err);
}
