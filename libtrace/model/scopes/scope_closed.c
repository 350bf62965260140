/*
 * Scopes that a source has closed already: they are slices as they come, and what the lane would know of its
 * stack is handed over at the end. See scope_lane.h.
 */
#include "model/scopes/scope_lane.h"

struct tk_slices tk_scope_closed_slices(const struct tk_closed_scopes *closed)
{
    return (struct tk_slices){
        .thread = closed->thread,
        .lane = closed->lane,
        .kind = TK_LANE_THREAD,
        .n = closed->n,
        .timer = closed->timer,
        .total = closed->total,
        .excl = closed->excl,
        .outer = closed->outer,
    };
}

int tk_scope_closed_end(struct tk_scope_lane *lane, const struct tk_closed_lane *end)
{
    lane->seen = true;
    lane->scopes = end->scopes;
    lane->first = end->first;
    lane->last = end->last;
    lane->raised = end->raised;
    lane->too_deep = end->too_deep;
    lane->max_depth = end->max_depth;
    lane->own = end->covered;
    if (tk_vec_reserve(&lane->lost, end->n_lost))
        return -1;
    for (size_t i = 0; i < end->n_lost; i++)
        lane->lost.v[lane->lost.n++] = end->lost[i];
    lane->depth = end->n_open;
    for (size_t i = 0; i < end->n_open; i++)
        tk_scope_stack_set(&lane->stack, i + 1,
                           &(struct tk_stacked){.begin = end->open[i].begin,
                                                .before = end->covered,
                                                .op = end->open[i].timer});
    return 0;
}
