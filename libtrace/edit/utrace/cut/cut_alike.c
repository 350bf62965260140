/*
 * The entries of a batch that need no decision of their own: most of them. See cut_scopes.h.
 */
#include "edit/utrace/cut/cut_scopes.h"

#include <string.h>

#define ROOM 24 /* bytes that an entry without a depth cannot exceed */

/* What becomes of the entries: those before the window are remembered, those in it stay as well, and those
 * behind it count where they end what does not stay. */
struct alike {
    int64_t from, to; /* the times of the entries */
    bool kept;
};

static struct alike alike_at(const struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, int64_t time)
{
    if (time < w->from)
        return (struct alike){INT64_MIN, w->from, false};
    if (!s->carried)
        return (struct alike){0, 0, false};
    return time < w->to ? (struct alike){w->from, w->to, true} : (struct alike){w->to, INT64_MAX, false};
}

/* A number, of which all bytes are there; NULL: it is too long. */
static inline const uint8_t *number(const uint8_t *p, uint64_t *v)
{
    uint64_t sum = *p & 0x7f;
    unsigned shift = 7;
    for (; *p++ & 0x80; shift += 7) {
        if (shift > 56)
            return NULL;
        sum |= (uint64_t)(*p & 0x7f) << shift;
    }
    *v = sum;
    return p;
}

/* Reads an entry. NULL: it is to be looked at by itself. */
static inline const uint8_t *entry(const uint8_t *p, unsigned form, uint64_t *cycles, bool *begins,
                                   uint64_t *timer)
{
    uint64_t v = 0;
    p = number(p, &v);
    if (!p || (form > 1 && (v & 2)))
        return NULL;
    *cycles = v >> (form > 1 ? 2 : 1);
    *begins = v & 1;
    return *begins ? number(p, timer) : p;
}

/* The scope that ends. False: the end is to be looked at by itself. */
static inline bool end_scope(struct tk_edit_cut_scopes *s, const struct alike *a)
{
    if (!s->stack.n)
        return true;
    if (s->stack.v[s->stack.n - 1].kept != a->kept)
        return false;
    s->stack.n--;
    return true;
}

static int begin_scope(struct tk_edit_cut_scopes *s, const struct alike *a, uint64_t timer)
{
    const struct tk_edit_open open = {timer, 0, a->kept};
    if (tk_vec_push(&s->stack, open))
        return -1;
    return a->kept && s->used ? s->used(s->ctx, timer) : 0;
}

/* Those that stay go on where the last one that was written left off. */
static void keep(struct tk_edit_cut_scopes *s, const uint8_t *p, size_t n, int64_t last)
{
    uint8_t *to = n ? tk_uw_bytes_room(&s->out, n) : NULL;
    if (!to)
        return;
    memcpy(to, p, n);
    s->out.size += n;
    s->last = last;
    s->any = true;
}

int tk_edit_cut_alike(struct tk_edit_cut_scopes *s, const struct tk_edit_window *w, unsigned form,
                      struct tk_edit_cut_place *place)
{
    const uint8_t *p = place->p;
    struct alike a = {0};
    int64_t time = place->time;
    bool known = false;
    int rc = 0;
    while (place->end - p >= ROOM && rc == 0) {
        uint64_t cycles = 0, timer = 0;
        bool begins = false;
        const uint8_t *next = entry(p, form, &cycles, &begins, &timer);
        if (!next)
            break;
        if (place->first)
            cycles = cycles < w->start ? cycles : cycles - w->start;
        const int64_t then = (int64_t)(place->first ? cycles : (uint64_t)time + cycles);
        if (!known) {
            a = alike_at(s, w, then);
            known = true;
            if (a.kept && !place->first && (!s->any || s->last != time))
                break;
        }
        if (then < a.from || then >= a.to || (!begins && !end_scope(s, &a)))
            break;
        if (begins)
            rc = begin_scope(s, &a, timer);
        time = then;
        p = next;
        place->first = false;
    }
    if (a.kept)
        keep(s, place->p, (size_t)(p - place->p), time);
    else
        s->clipped += p > place->p;
    place->p = p;
    place->time = time;
    return rc;
}
