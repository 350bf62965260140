/*
 * Which frames are hitches, and which are usual near them.
 */
#include "model/frames/frame_classes.h"

#include "base/sort.h"
#include "base/wrap.h"
#include "judge/hitches.h"
#include "judge/work.h"
#include "model/marks/bookmark_range.h"
#include "query/slices.h"

#include <stdlib.h>
#include <string.h>

#define NEAR_EXPECTED 0.25 /* of the length that is expected: how far a typical frame may be from it */
#define NO_PLACE      UINT32_MAX

/* ---- lengths ---- */

uint64_t tk_frame_classes_length(const struct tk_frame_classes *m, uint32_t frame)
{
    const struct tk_range *r = &m->frames->v[frame];
    return r->to > r->from ? (uint64_t)r->to - (uint64_t)r->from : 0; /* 0: its end is not known */
}

static double unit_of_ms(const struct tk_query_context *view)
{
    const uint64_t frequency = view->dict ? view->dict->clock.frequency : 0;
    return frequency ? 1e3 / (double)frequency : 1;
}

unsigned tk_frame_classes_is(const struct tk_frame_classes *m, uint32_t frame)
{
    return m->place[frame] == NO_PLACE ? 0 : m->judged.is[m->place[frame]];
}

/* Lengths of the frames whose ends are known, without gaps; judges them. 0, or -1. */
static int judge(struct tk_frame_classes *m, const struct tk_query_context *view,
                 const struct tk_hitch_rule *rule)
{
    const double unit = unit_of_ms(view);
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const uint64_t length = tk_frame_classes_length(m, i);
        m->place[i] = length ? n : NO_PLACE;
        if (length)
            m->ms[n++] = (double)length * unit;
    }
    return tk_frames_judge(&m->judged, m->ms, n, rule);
}

/* ---- hitches ---- */

struct candidate {
    uint64_t cycles;
    uint32_t frame;
};

/* Longest first; of equal ones the first. */
static int longest_first(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static int by_frame(const void *a, const void *b)
{
    const struct tk_frame_class_hitch *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

static bool is_listed(const struct tk_select *listed, const struct tk_range *frame)
{
    return tk_select_touches(listed, frame->from, frame->to);
}

/* The frames that are hitches, of those that are listed; v has a place for each frame. */
static size_t find_hitches(struct tk_frame_classes *m, const struct tk_select *listed, bool startup,
                           struct candidate *v)
{
    size_t n = 0;
    m->longest = m->n;
    for (uint32_t i = 0; i < m->n; i++) {
        const unsigned is = tk_frame_classes_is(m, i);
        const uint64_t length = tk_frame_classes_length(m, i);
        if (!length || !is_listed(listed, &m->frames->v[i]))
            continue;
        if (m->longest == m->n || length > tk_frame_classes_length(m, m->longest))
            m->longest = i;
        if (is & TK_FRAME_IS_HITCH && is & TK_FRAME_IS_STARTUP && !startup)
            m->startup_hitches++;
        else if (is & TK_FRAME_IS_HITCH)
            v[n++] = (struct candidate){length, i};
    }
    return n;
}

/* Keeps the longest hitches, at most `most`. */
static int mark_hitches(struct tk_frame_classes *m, struct candidate *v, size_t n, uint64_t most)
{
    if (n)
        qsort(v, n, sizeof *v, longest_first);
    m->left_out = n > most ? n - most : 0;
    for (size_t i = 0; i < n && i < most; i++)
        if (tk_vec_push(&m->hitches, (struct tk_frame_class_hitch){.frame = v[i].frame}))
            return -1;
    if (m->hitches.n)
        qsort(m->hitches.v, m->hitches.n, sizeof *m->hitches.v, by_frame);
    for (size_t i = 0; i < m->hitches.n; i++)
        m->mark[m->hitches.v[i].frame] = TK_FRAME_CLASS_HITCH + (uint32_t)i;
    return 0;
}

/* ---- typical frames ---- */

/* A typical frame of a hitch. */
struct pair {
    uint32_t frame, hitch;
};

struct pairs {
    TK_VEC(struct pair) v;
};

static bool is_typical(const struct tk_frame_classes *m, uint32_t frame, double expected)
{
    const uint32_t at = m->place[frame];
    if (at == NO_PLACE || m->judged.is[at] & (TK_FRAME_IS_LATE | TK_FRAME_IS_STARTUP))
        return false;
    const double off = m->ms[at] - expected;
    return (off < 0 ? -off : off) <= NEAR_EXPECTED * expected;
}

static int take_typical(struct tk_frame_classes *m, uint32_t hitch, uint32_t frame, struct pairs *pairs)
{
    struct tk_frame_class_hitch *h = &m->hitches.v[hitch];
    if (h->n_typical == TK_TYPICAL_FRAMES || !is_typical(m, frame, m->judged.expected[m->place[h->frame]]))
        return 0;
    h->n_typical++;
    h->typical += tk_frame_classes_length(m, frame);
    const struct pair pair = {frame, hitch};
    return tk_vec_push(&pairs->v, pair);
}

/* The nearest ones: of two as near the one before. */
static int find_typical(struct tk_frame_classes *m, uint32_t hitch, struct pairs *pairs)
{
    struct tk_frame_class_hitch *h = &m->hitches.v[hitch];
    int rc = 0;
    for (uint32_t off = 1; off < m->n && h->n_typical < TK_TYPICAL_FRAMES && rc == 0; off++) {
        if (off <= h->frame)
            rc = take_typical(m, hitch, h->frame - off, pairs);
        if (rc == 0 && h->frame + off < m->n)
            rc = take_typical(m, hitch, h->frame + off, pairs);
    }
    h->typical = h->n_typical ? h->typical / h->n_typical : 0;
    return rc;
}

static int by_frame_and_hitch(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return (x->hitch > y->hitch) - (x->hitch < y->hitch);
}

static int by_hitch(const void *a, const void *b)
{
    const struct tk_frame_group *x = a, *y = b;
    if (x->hitch != y->hitch)
        return x->hitch < y->hitch ? -1 : 1;
    return (x->mark > y->mark) - (x->mark < y->mark);
}

/* Are the frames that begin at two places typical of the same hitches? */
static bool is_same_set(const struct pairs *p, size_t a, size_t b)
{
    const uint32_t one = p->v.v[a].frame, other = p->v.v[b].frame;
    for (; p->v.v[a].frame == one && b < p->v.n && p->v.v[b].frame == other; a++, b++)
        if (p->v.v[a].hitch != p->v.v[b].hitch)
            return false;
    return p->v.v[a].frame != one && (b == p->v.n || p->v.v[b].frame != other);
}

/* Notes the hitches that the frame at *i is typical of, behind which *i is set. */
static int add_groups(struct tk_frame_classes *m, const struct pairs *p, size_t *i, uint32_t mark)
{
    const uint32_t frame = p->v.v[*i].frame;
    for (; *i < p->v.n && p->v.v[*i].frame == frame; ++*i) {
        const struct tk_frame_group group = {p->v.v[*i].hitch, mark, 1};
        if (tk_vec_push(&m->groups, group))
            return -1;
    }
    return 0;
}

/* Frames in a row that are typical of the same hitches are a group, but for those that are hitches. */
static int mark_groups(struct tk_frame_classes *m, struct pairs *p)
{
    uint32_t group = 0;
    size_t begun = SIZE_MAX, entries = 0; /* of the group: its first frame, and its first entry */
    int rc = 0;
    for (size_t i = 0; i < p->v.n && rc == 0;) {
        const uint32_t frame = p->v.v[i].frame;
        if (m->mark[frame]) {
            rc = add_groups(m, p, &i, m->mark[frame]);
        } else if (begun != SIZE_MAX && is_same_set(p, begun, i)) {
            m->mark[frame] = TK_FRAME_CLASS_TYPICAL + group - 1;
            for (size_t k = entries; i < p->v.n && p->v.v[i].frame == frame; i++)
                m->groups.v[k++].frames++;
        } else {
            begun = i;
            entries = m->groups.n;
            m->mark[frame] = TK_FRAME_CLASS_TYPICAL + group++;
            rc = add_groups(m, p, &i, m->mark[frame]);
        }
    }
    return rc;
}

static int make_groups(struct tk_frame_classes *m, struct pairs *p)
{
    if (p->v.n)
        qsort(p->v.v, p->v.n, sizeof *p->v.v, by_frame_and_hitch);
    if (mark_groups(m, p))
        return -1;
    if (m->groups.n)
        qsort(m->groups.v, m->groups.n, sizeof *m->groups.v, by_hitch);
    for (size_t i = 0, at = 0; i < m->hitches.n; i++) {
        m->hitches.v[i].first_group = at;
        while (at < m->groups.n && m->groups.v[at].hitch == i)
            at++;
    }
    return 0;
}

static int mark_typical(struct tk_frame_classes *m)
{
    struct pairs pairs = {.v = {0}};
    int rc = 0;
    for (uint32_t i = 0; i < m->hitches.n && rc == 0; i++)
        rc = find_typical(m, i, &pairs);
    if (rc == 0)
        rc = make_groups(m, &pairs);
    tk_vec_release(&pairs.v);
    for (uint32_t i = 0; i < m->n && rc == 0; i++)
        if (m->mark[i])
            rc = tk_vec_push(&m->marked, i);
    return rc;
}

/* ---- all ---- */

int tk_frame_classes_build(struct tk_frame_classes *m, const struct tk_query_context *view,
                           const struct tk_hitch_rule *rule)
{
    const struct tk_frames *frames = view->frames;
    size_t n = frames->n;
    n -= n && frames->v[n - 1].to == INT64_MAX;
    *m = (struct tk_frame_classes){
        .frames = frames, .n = n < TK_FRAME_PARTS ? (uint32_t)n : TK_FRAME_PARTS - 1, .rule = *rule};
    m->mark = calloc((size_t)m->n + 1, sizeof *m->mark);
    m->ms = malloc(((size_t)m->n + 1) * sizeof *m->ms);
    m->place = malloc(((size_t)m->n + 1) * sizeof *m->place);
    struct candidate *v = malloc(((size_t)m->n + 1) * sizeof *v);
    int rc = m->mark && m->ms && m->place && v ? judge(m, view, rule) : -1;
    if (rc == 0)
        rc = mark_hitches(
            m, v,
            find_hitches(m, view->listed ? view->listed : view->select, view->query->startup_hitches, v),
            view->ctx->limits.hitches);
    free(v);
    return rc == 0 ? mark_typical(m) : rc;
}

struct tk_hitch_rule tk_hitch_rule_of(const struct tk_hitch_query *query)
{
    if (query->budget_ns > 0)
        return (struct tk_hitch_rule){TK_HITCH_RULE_LIMIT, (double)query->budget_ns / 1e6};
    if (query->times > 0)
        return (struct tk_hitch_rule){TK_HITCH_RULE_TIMES, query->times};
    return (struct tk_hitch_rule){query->engine ? TK_HITCH_RULE_ENGINE : TK_HITCH_RULE_LOCAL, 0};
}

int tk_frame_classes_of_query(struct tk_frame_classes *m, const struct tk_query_context *view)
{
    const struct tk_hitch_rule rule = tk_hitch_rule_of(&view->query->hitches);
    return tk_frame_classes_build(m, view, &rule);
}

uint64_t tk_frame_classes_expected(const struct tk_frame_classes *m, uint32_t frame)
{
    const uint32_t at = m->place[frame];
    const uint64_t length = tk_frame_classes_length(m, frame);
    return at == NO_PLACE || !(m->ms[at] > 0)
               ? 0
               : tk_saturate_u64((double)length * (m->judged.expected[at] / m->ms[at]) + 0.5);
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
    free(m->ms);
    free(m->place);
    tk_judged_frames_release(&m->judged);
    tk_vec_release(&m->marked);
    tk_vec_release(&m->hitches);
    tk_vec_release(&m->groups);
}

/*
 * Which frames load.
 */

#define MOST_CALLS 65536u /* kept of a lane, to tell which calls lie in another one */

void tk_loading_frames_init(struct tk_loading_frames *l, const struct tk_query_context *view,
                            const struct tk_work_rules *work)
{
    *l = (struct tk_loading_frames){.view = view, .work = work, .frame_thread = TK_NO_THREAD};
}

int tk_loading_frames_feed(struct tk_loading_frames *l, const struct tk_batch *batch)
{
    for (size_t i = 0; i < batch->n_runs; i++) {
        if (tk_vec_reach(&l->lanes, (size_t)batch->runs[i].lane + 1))
            return -1;
        struct tk_loading_lane *lane = &l->lanes.v[batch->runs[i].lane];
        lane->thread = batch->runs[i].thread;
        lane->is_thread = batch->runs[i].kind == TK_LANE_THREAD;
    }
    for (size_t i = 0; i < batch->n_facts && l->frame_thread == TK_NO_THREAD; i++)
        if (batch->facts[i].kind == TK_FACT_FRAME && batch->facts[i].u.frame.type == 0)
            l->frame_thread = batch->facts[i].thread;
    return 0;
}

/* ---- calls ---- */

static uint32_t frame_at(const struct tk_frames *frames, int64_t time)
{
    size_t at;
    TK_SEARCH(at, frames->n, frames->v[at].to <= time);
    return (uint32_t)at;
}

/* Time of a call in a frame. */
static uint64_t inside(const struct tk_loading_call *call, const struct tk_range *frame)
{
    const int64_t from = call->begin > frame->from ? call->begin : frame->from,
                  to = call->end < frame->to ? call->end : frame->to;
    return to > from ? (uint64_t)to - (uint64_t)from : 0;
}

/* Adds the time of a call to the frames that it lies in, or takes it off. */
static int add_call(const struct tk_loading_frames *l, struct tk_loading_lane *lane,
                    const struct tk_loading_call *call, bool add)
{
    const struct tk_frames *frames = l->view->frames;
    for (uint32_t f = frame_at(frames, call->begin); f < frames->n && frames->v[f].from < call->end; f++) {
        const uint64_t cycles = inside(call, &frames->v[f]);
        const struct tk_loading_time time = {f, add ? cycles : 0 - cycles};
        struct tk_loading_time *last = lane->times.n ? &lane->times.v[lane->times.n - 1] : NULL;
        if (!cycles)
            continue;
        if (last && last->frame == f)
            last->cycles += time.cycles;
        else if (tk_vec_push(&lane->times, time))
            return -1;
    }
    return 0;
}

/* Calls come in order of their ends: those inside a call come before it. */
static int take_call(const struct tk_loading_frames *l, struct tk_loading_lane *lane,
                     const struct tk_loading_call *call)
{
    while (lane->calls.n && lane->calls.v[lane->calls.n - 1].begin >= call->begin) {
        const struct tk_loading_call inner = lane->calls.v[--lane->calls.n];
        if (add_call(l, lane, &inner, false))
            return -1;
    }
    if (lane->calls.n == MOST_CALLS) {
        lane->calls.n = MOST_CALLS / 2;
        memmove(lane->calls.v, lane->calls.v + MOST_CALLS / 2, MOST_CALLS / 2 * sizeof *lane->calls.v);
    }
    return tk_vec_push(&lane->calls, *call) || add_call(l, lane, call, true) ? -1 : 0;
}

static bool loads(const struct tk_work_rules *work, uint32_t timer)
{
    return timer < work->known.n && work->known.v[timer] == 1 + TK_WORK_LOADING;
}

int tk_loading_frames_take(struct tk_loading_frames *l, const struct tk_slices *s)
{
    struct tk_loading_lane *lane = &l->lanes.v[s->lane];
    for (size_t i = 0; i < s->n && lane->is_thread; i++) {
        if (loads(l->work, s->timer[i]) &&
            take_call(l, lane, &(struct tk_loading_call){s->begin[i], s->end[i]}))
            return -1;
        if (s->depth[i] == 0)
            lane->calls.n = 0; /* nothing to come has them inside */
    }
    return 0;
}

/* ---- when all is read ---- */

static bool runs_frames(const struct tk_loading_frames *l, const struct tk_loading_lane *lane)
{
    if (l->frame_thread != TK_NO_THREAD)
        return lane->thread == l->frame_thread;
    const struct tk_str *name = tk_dict_thread_name(l->view->dict, lane->thread);
    return name && tk_role_of_name(name->p, name->n) == TK_ROLE_GAME;
}

static void mark_stretches(const struct tk_loading_frames *l, const uint32_t *place, uint32_t n_frames,
                           const double *ms, size_t n, uint8_t *is, double *loading)
{
    const uint64_t frequency = l->view->dict->clock.frequency;
    for (size_t i = 0; i < l->lanes.n; i++) {
        const struct tk_loading_lane *lane = &l->lanes.v[i];
        for (size_t k = 0; k < lane->times.n && lane->is_thread && runs_frames(l, lane); k++) {
            const struct tk_loading_time *t = &lane->times.v[k];
            if (t->frame < n_frames && place[t->frame] != UINT32_MAX)
                loading[place[t->frame]] +=
                    (double)(int64_t)t->cycles * (frequency ? 1e3 / (double)frequency : 1);
        }
    }
    tk_frames_find_stretches(is, ms, loading, n);
}

/* Frames of which at least half lies in the region. */
static void mark_region(const struct tk_loading_frames *l, const struct tk_region *region,
                        const uint32_t *place, uint32_t n_frames, uint8_t *is)
{
    const struct tk_frames *frames = l->view->frames;
    const struct tk_loading_call span = {region->begin,
                                         region->state == TK_REGION_OPEN ? INT64_MAX : region->end};
    for (uint32_t f = frame_at(frames, span.begin); f < n_frames && frames->v[f].from < span.end; f++)
        if (place[f] != UINT32_MAX &&
            inside(&span, &frames->v[f]) * 2 >= (uint64_t)frames->v[f].to - (uint64_t)frames->v[f].from)
            is[place[f]] |= TK_FRAME_IS_LOADING;
}

int tk_loading_frames_mark(const struct tk_loading_frames *l, const uint32_t *place, uint32_t n_frames,
                           const double *ms, size_t n, uint8_t *is)
{
    const struct tk_region_list *regions = l->view->regions;
    double *loading = calloc(n + 1, sizeof *loading);
    if (!loading)
        return -1;
    mark_stretches(l, place, n_frames, ms, n, is, loading);
    free(loading);
    for (size_t i = 0; regions && i < regions->regions.n; i++) {
        const struct tk_region *r = &regions->regions.v[i];
        if (r->name && tk_region_loads(r->name->p, r->name->n))
            mark_region(l, r, place, n_frames, is);
    }
    return 0;
}

void tk_loading_frames_release(struct tk_loading_frames *l)
{
    for (size_t i = 0; i < l->lanes.n; i++) {
        tk_vec_release(&l->lanes.v[i].calls);
        tk_vec_release(&l->lanes.v[i].times);
    }
    tk_vec_release(&l->lanes);
}
