/*
 * Sums by node of the lanes of call trees.
 */
#include "model/timers/call_tree.h"

#include <inttypes.h>
#include <stdlib.h>

void tk_tree_lanes_release(struct tk_tree_lanes *l)
{
    for (size_t i = 0; i < l->v.n; i++) {
        if (l->v.v[i])
            tk_call_store_release(&l->v.v[i]->sums);
        free(l->v.v[i]);
    }
    tk_vec_release(&l->v);
    tk_vec_release(&l->threads);
    tk_vec_release(&l->kinds);
}

static int reserve(struct tk_tree_lanes *l, size_t n)
{
    if (tk_vec_reserve(&l->v, n) || tk_vec_reserve(&l->threads, n) || tk_vec_reserve(&l->kinds, n))
        return -1;
    while (l->v.n < n) {
        l->v.v[l->v.n++] = NULL;
        l->threads.v[l->threads.n++] = TK_NO_THREAD;
        l->kinds.v[l->kinds.n++] = TK_LANE_THREAD;
    }
    return 0;
}

int tk_tree_lanes_feed(struct tk_tree_lanes *l, const struct tk_batch *batch, struct tk_err *err)
{
    for (size_t i = 0; i < batch->n_runs; i++) {
        const struct tk_scope_run *run = &batch->runs[i];
        if (run->kind != TK_LANE_THREAD && !l->queues)
            continue;
        if (reserve(l, (size_t)run->lane + 1) ||
            (!l->v.v[run->lane] && !(l->v.v[run->lane] = calloc(1, sizeof(struct tk_tree_lane)))))
            return tk_err_nomem(err, "a call tree");
        l->threads.v[run->lane] = run->thread;
        l->kinds.v[run->lane] = run->kind;
    }
    return TK_OK;
}

static struct tk_tree_lane *lane_of(const struct tk_tree_lanes *l, uint32_t lane)
{
    return lane < l->v.n ? l->v.v[lane] : NULL;
}

static int reach_call_tree_lanes(struct tk_tree_lane *lane, const struct tk_paths *paths)
{
    return tk_vec_reach(&lane->sums.v, paths->nodes.n);
}

int tk_tree_lanes_take(struct tk_tree_lanes *l, const struct tk_slices *s)
{
    struct tk_tree_lane *lane = lane_of(l, s->lane);
    if (!lane)
        return 0;
    if (reach_call_tree_lanes(lane, s->paths))
        return -1;
    for (size_t i = 0; i < s->n; i++) {
        struct tk_call_times *sums = &lane->sums.v.v[tk_path_place(s->node[i])];
        sums->count++;
        sums->total += s->node[i] & TK_PATH_INSIDE ? 0 : s->total[i];
        sums->excl += s->excl[i];
    }
    return 0;
}

uint64_t tk_tree_lanes_uses(const struct tk_tree_lanes *l, uint32_t lane, uint32_t node)
{
    const struct tk_tree_lane *of = lane_of(l, lane);
    return of && node < of->sums.v.n ? of->sums.v.v[node].count + of->sums.v.v[node].excl : 0;
}

int tk_tree_lanes_fold(struct tk_tree_lanes *l, uint32_t lane, const uint32_t *to, size_t n)
{
    struct tk_tree_lane *of = lane_of(l, lane);
    return of ? tk_call_store_fold(&of->sums, to, n) : 0;
}

/* Cycles between two times, those of the selection alone where slices are clipped to it. */
static uint64_t between(const struct tk_query_context *view, bool whole, int64_t begin, int64_t end)
{
    if (begin >= end)
        return 0;
    if (whole)
        return (uint64_t)end - (uint64_t)begin;
    return (uint64_t)tk_select_before(view->select, end) - (uint64_t)tk_select_before(view->select, begin);
}

static int add_open(struct tk_tree_lane *lane, const struct tk_query_context *view, bool whole,
                    const struct tk_open_scope *scopes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_open_scope *s = &scopes[i];
        const int64_t last = tk_select_clip_end(view->select, view->last_time);
        const int64_t end = s->end < last ? s->end : last;
        if (!tk_select_touches(view->select, s->begin, end > s->begin ? end : s->begin))
            continue;
        const uint64_t time = between(view, whole, s->begin, end);
        const uint64_t inner = s->children + between(view, whole, s->inside, end);
        const struct tk_call_sums sums = {.open = 1,
                                          .open_time = s->node & TK_PATH_INSIDE ? 0 : time,
                                          .open_excl = time > inner ? time - inner : 0};
        if (tk_call_store_add(&lane->sums, tk_path_place(s->node), &sums))
            return -1;
    }
    return 0;
}

/* Calls of a lane that have no node of their own. */
static uint64_t count_beyond(const struct tk_tree_lane *lane)
{
    uint64_t n = tk_call_store_get(&lane->sums, TK_PATH_LOST).count;
    for (uint32_t i = TK_PATH_LOST + 1; lane->paths->beyond && i < lane->sums.v.n; i++)
        if (tk_paths_is_beyond(lane->paths, i))
            n += tk_call_store_get(&lane->sums, i).count;
    return n;
}

int tk_tree_lanes_end(struct tk_tree_lanes *l, const struct tk_query_context *view,
                      const struct tk_lane_end *end, bool whole)
{
    struct tk_tree_lane *lane = lane_of(l, end->lane);
    if (!lane)
        return 0;
    lane->paths = end->paths;
    if (reach_call_tree_lanes(lane, end->paths))
        return -1;
    if (add_open(lane, view, whole, end->open, end->n_open) ||
        add_open(lane, view, whole, end->lost, end->n_lost))
        return -1;
    const uint64_t lost = count_beyond(lane);
    if (lost)
        tk_health_limit(&view->ctx->health, TK_LIMIT_tree_nodes, TK_NO_OFFSET, lost,
                        "thread %" PRIu32 ": %" PRIu64 " scopes are counted together", end->thread, lost);
    return 0;
}

int tk_tree_lanes_merge(struct tk_tree_lanes *l, bool by_lane, struct tk_dict *dict, struct tk_call_tree *all)
{
    const struct tk_call_sums nothing = {0};
    for (uint32_t i = 0; i < l->v.n; i++) {
        struct tk_tree_lane *lane = l->v.v[i];
        uint32_t below = TK_PATH_ROOT;
        if (!lane || !lane->paths || !lane->sums.v.n)
            continue;
        if (by_lane)
            below = tk_call_tree_add(all, TK_PATH_ROOT, TK_CALL_THREAD | i, &nothing);
        if (below == TK_PATH_NONE || tk_call_tree_add_lane(all, below, lane->paths, &lane->sums, dict))
            return -1;
        tk_call_store_release(&lane->sums);
    }
    return 0;
}
