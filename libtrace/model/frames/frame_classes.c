/*
 * Which frames took too long, and which are usual. See frame_classes.h.
 */
#include "model/frames/frame_classes.h"

#include "base/sort.h"
#include "base/wrap.h"
#include "query/slices.h"
#include "tracekit/queries.h"

#include <stdlib.h>

struct length {
    uint64_t cycles, off; /* off: how far from the median */
    uint32_t frame;
};

/* Of equal ones the first frame comes last, where the longest are taken from. */
static int by_cycles(const void *a, const void *b)
{
    const struct length *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? -1 : 1;
    return (x->frame < y->frame) - (x->frame > y->frame);
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

uint64_t tk_frame_classes_length(const struct tk_frame_classes *m, uint32_t frame)
{
    const struct tk_range *r = &m->frames->v[frame];
    return r->to > r->from ? (uint64_t)r->to - (uint64_t)r->from : 0; /* 0: its end is not known */
}

static size_t measure(const struct tk_frame_classes *m, struct length *v)
{
    size_t n = 0;
    for (uint32_t i = 0; i < m->n; i++)
        if (tk_frame_classes_length(m, i))
            v[n++] = (struct length){.cycles = tk_frame_classes_length(m, i), .frame = i};
    return n;
}

static bool is_listed(const struct tk_frame_classes *m, const struct tk_select *listed, uint32_t frame)
{
    return tk_select_touches(listed, m->frames->v[frame].from, m->frames->v[frame].to);
}

/* Where the first run of calm frames begins; 0 where there is none, as then it all is alike. */
static uint32_t find_startup(const struct tk_frame_classes *m)
{
    uint32_t calm = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        calm = tk_frame_classes_length(m, i) > m->budget ? 0 : calm + 1;
        if (calm == TK_CALM_FRAMES)
            return i + 1 - calm;
    }
    return 0;
}

/* Marks the longest frames of those that are listed, at most `most`; v is in order of length. */
static int mark_hitches(struct tk_frame_classes *m, const struct tk_select *listed, const struct length *v,
                        size_t n, uint64_t most)
{
    m->longest = m->n;
    for (; n; n--) {
        if (!is_listed(m, listed, v[n - 1].frame))
            continue;
        if (m->longest == m->n)
            m->longest = v[n - 1].frame;
        if (v[n - 1].cycles <= m->budget)
            break;
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

static int mark_all(struct tk_frame_classes *m, const struct tk_select *listed, struct length *v, size_t n,
                    uint64_t most, uint64_t budget, double times)
{
    if (n)
        qsort(v, n, sizeof *v, by_cycles);
    m->median = n ? v[(n - 1) / 2].cycles : 0;
    m->budget = budget ? budget : tk_saturate_u64((double)m->median * times);
    m->startup = find_startup(m);
    if (mark_hitches(m, listed, v, n, most))
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
        rc = mark_all(m, view->listed ? view->listed : view->select, v, measure(m, v),
                      view->ctx->limits.hitches, budget, times);
    free(v);
    return rc;
}

int tk_frame_classes_of_query(struct tk_frame_classes *m, const struct tk_query_context *view)
{
    const struct tk_hitch_query *requested = &view->query->hitches;
    const uint64_t budget =
        requested->budget_ns > 0 ? (uint64_t)tk_clock_cycles(&view->dict->clock, requested->budget_ns) : 0;
    return tk_frame_classes_build(m, view, budget, requested->times > 0 ? requested->times : TK_HITCH_TIMES);
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
