/*
 * Which frames load.
 */
#include "model/frames/loading_frames.h"

#include "base/sort.h"
#include "base/wrap.h"
#include "judge/hitches.h"
#include "judge/work.h"
#include "model/marks/bookmark_range.h"

#include <stdlib.h>
#include <string.h>

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
