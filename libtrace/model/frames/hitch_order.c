/*
 * Which hitches are listed, and in which order. See hitch_order.h.
 */
#include "model/frames/hitch_order.h"

#include "base/sort.h"
#include "base/text/glob.h"

#include <string.h>

const char *tk_hitch_phase_name(uint8_t phase)
{
    return phase == TK_HITCH_STARTUP ? "start-up" : phase == TK_HITCH_LOAD ? "load" : NULL;
}

/* Did a timer grow in it that loads a map? */
static bool loads_map(const struct tk_hitches *h, uint32_t mark, size_t first)
{
    static const char pattern[] = "*loadmap*";
    for (size_t i = first; i < h->reasons.n && h->reasons.v[i].mark == mark; i++) {
        const struct tk_hitch_reason *r = &h->reasons.v[i];
        const struct tk_str *name =
            r->timer == TK_HITCH_NOT_RUNNING ? NULL : h->view->dict->timers.v[r->timer].shown;
        if (name && tk_glob(pattern, strlen(pattern), name->p, name->n, true))
            return true;
    }
    return false;
}

/* A load goes on as long as hitches follow each other closely. */
static uint8_t phase_of(const struct tk_hitches *h, uint32_t mark, size_t first, int64_t *loaded)
{
    const int64_t frame = tk_hitch_frame(h, mark);
    if (loads_map(h, mark, first) || (*loaded >= 0 && frame - *loaded <= (int64_t)TK_CALM_FRAMES))
        *loaded = frame;
    if (frame < (int64_t)h->marks.startup)
        return TK_HITCH_STARTUP;
    return *loaded == frame ? TK_HITCH_LOAD : TK_HITCH_STEADY;
}

static int worst_first(const void *a, const void *b)
{
    const struct tk_hitch_entry *x = a, *y = b;
    if (!x->phase != !y->phase)
        return x->phase ? 1 : -1;
    if (x->length != y->length)
        return x->length > y->length ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

int tk_hitch_order_make(struct tk_hitch_order *o, const struct tk_hitches *h)
{
    const struct tk_query *query = h->view->query;
    size_t at = 0;
    int64_t loaded = -1;
    for (uint32_t i = 0; i < h->marks.hitches.n; i++) {
        struct tk_hitch_entry e = {.mark = TK_FRAME_CLASS_HITCH + i, .first = at};
        e.length = tk_frame_classes_length(&h->marks, h->marks.hitches.v[i]);
        e.phase = phase_of(h, e.mark, at, &loaded);
        if (tk_vec_push(&o->v, e))
            return -1;
        while (at < h->reasons.n && h->reasons.v[at].mark == e.mark)
            at++;
    }
    if ((query->worst_first || query->top_hitches) && tk_sort(o->v.v, o->v.n, sizeof *o->v.v, worst_first))
        return -1;
    if (query->top_hitches && query->top_hitches < o->v.n)
        o->v.n = (size_t)query->top_hitches;
    return 0;
}

void tk_hitch_order_release(struct tk_hitch_order *o)
{
    tk_vec_release(&o->v);
}
