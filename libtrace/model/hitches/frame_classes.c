/*
 * Which frames took too long, and which are usual. See frame_classes.h.
 */
#include "model/hitches/frame_classes.h"

#include "base/binary_search.h"
#include "base/saturate.h"
#include "query/slices.h"

#include <stdlib.h>

struct length {
    uint64_t cycles, off; /* off: how far from the median */
    uint32_t frame;
};

static int by_cycles(const void *a, const void *b)
{
    const struct length *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static int by_off(const void *a, const void *b)
{
    const struct length *x = a, *y = b;
    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static size_t measure(const struct tk_frame_classes *m, const struct tk_select *select, struct length *v)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct tk_range *r = &m->frames->v[i];
        if (r->to > r->from && tk_select_touches(select, r->from, r->to)) /* else its end is not known */
            v[n++] = (struct length){.cycles = (uint64_t)r->to - (uint64_t)r->from, .frame = i};
    }
    return n;
}

/* Marks the longest frames, at most `most`; v is in order of length. How many there are. */
static int mark_hitches(struct tk_frame_classes *m, const struct length *v, size_t n, uint64_t most)
{
    for (; n && v[n - 1].cycles > m->budget; n--) {
        if (m->hitches.n >= most)
            m->left_out++;
        else if (tk_vec_push(&m->hitches, v[n - 1].frame))
            return -1;
    }
    if (m->hitches.n)
        qsort(m->hitches.v, m->hitches.n, sizeof *m->hitches.v, by_number);
    for (size_t i = 0; i < m->hitches.n; i++)
        m->mark[m->hitches.v[i]] = TK_FRAME_CLASS_HITCH + (uint32_t)i;
    return 0;
}

static void mark_usual(struct tk_frame_classes *m, struct length *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        v[i].off = v[i].cycles > m->median ? v[i].cycles - m->median : m->median - v[i].cycles;
    if (n)
        qsort(v, n, sizeof *v, by_off);
    for (size_t i = 0; i < n && m->n_usual < TK_TYPICAL_FRAMES; i++) {
        if (m->mark[v[i].frame] || v[i].cycles > m->budget)
            continue;
        m->mark[v[i].frame] = TK_FRAME_CLASS_TYPICAL;
        m->n_usual++;
    }
}

static int mark_all(struct tk_frame_classes *m, struct length *v, size_t n, uint64_t most, uint64_t budget,
                    double times)
{
    if (n)
        qsort(v, n, sizeof *v, by_cycles);
    m->n_selected = n;
    m->median = n ? v[(n - 1) / 2].cycles : 0;
    m->budget = budget ? budget : tk_saturate_u64((double)m->median * times);
    if (mark_hitches(m, v, n, most))
        return -1;
    mark_usual(m, v, n);
    for (uint32_t i = 0; i < m->n; i++)
        if (m->mark[i] && tk_vec_push(&m->marked, i))
            return -1;
    return 0;
}

int tk_frame_classes_build(struct tk_frame_classes *m, const struct tk_query_context *view, uint64_t budget,
                           double times)
{
    const struct tk_frames *frames = view->frames;
    size_t n = frames->n;
    if (n && frames->v[n - 1].to == INT64_MAX)
        n--;
    *m = (struct tk_frame_classes){.frames = frames,
                                   .n = n < TK_FRAME_PARTS ? (uint32_t)n : TK_FRAME_PARTS - 1};
    m->mark = calloc((size_t)m->n + 1, sizeof *m->mark);
    struct length *v = malloc(((size_t)m->n + 1) * sizeof *v);
    int rc = m->mark && v ? 0 : -1;
    if (rc == 0)
        rc = mark_all(m, v, measure(m, view->select, v), view->ctx->limits.hitches, budget, times);
    free(v);
    return rc;
}

uint32_t tk_frame_classes_at(const struct tk_frame_classes *m, int64_t time)
{
    size_t at;
    TK_SEARCH(at, m->marked.n, m->frames->v[m->marked.v[at]].to <= time);
    if (at == m->marked.n || m->frames->v[m->marked.v[at]].from > time)
        return TK_FRAME_CLASS_NONE;
    return m->mark[m->marked.v[at]];
}

void tk_frame_classes_release(struct tk_frame_classes *m)
{
    free(m->mark);
    tk_vec_release(&m->marked);
    tk_vec_release(&m->hitches);
}
