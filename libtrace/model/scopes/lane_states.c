/*
 * States of lanes.
 */

#include "model/scopes/scope_lane.h"
#include "model/scopes/scopes_in.h"

#include <string.h>

#define OP_KEPT (TK_OP_TIMER | TK_OP_STAMPED) /* of those that begin */

bool tk_scope_model_numbers(const struct tk_scope_model *m)
{
    return m->kernel->columns & TK_SLICE_PLACE;
}

size_t tk_scope_model_lanes(const struct tk_scope_model *m)
{
    return m->lanes.n;
}

static const struct tk_scope_lane *lane_at(const struct tk_scope_model *m, uint32_t lane)
{
    const struct tk_scope_lane *l = lane < m->lanes.n ? m->lanes.v[lane] : NULL;
    return l && l->seen ? l : NULL;
}

int64_t tk_scope_model_last(const struct tk_scope_model *m, uint32_t lane)
{
    const struct tk_scope_lane *l = lane_at(m, lane);
    return l ? l->last : INT64_MIN;
}

int tk_scope_model_state(const struct tk_scope_model *m, uint32_t lane, struct tk_lane_state *out)
{
    const struct tk_scope_lane *l = lane_at(m, lane);
    out->open.n = 0;
    out->seen = l != NULL;
    if (!l)
        return TK_OK;
    if (l->lost.n || l->cut || l->too_deep || tk_scopes_beyond_count(&l->beyond))
        return TK_ELIMIT;
    out->thread = l->thread;
    out->kind = l->kind;
    out->first = l->first;
    out->last = l->last;
    out->begun = tk_scope_model_numbers(m) ? l->begun : 0;
    out->unmatched = l->unmatched;
    out->raised = l->raised;
    out->max_depth = l->max_depth;
    if (tk_vec_reserve(&out->open, l->depth + 1))
        return TK_ENOMEM;
    for (size_t k = 1; k <= l->depth; k++)
        out->open.v[out->open.n++] = (struct tk_state_scope){
            l->stack.begin[k], out->begun ? l->stack.id[k] : 0, l->stack.op[k] & OP_KEPT};
    return TK_OK;
}

/* Scopes of the same key below, as only such can still be open of those that were when it began. */
static bool is_outer(const struct tk_scope_rules *rules, const struct tk_scope_lane *lane, size_t k)
{
    const uint32_t timer = tk_scope_reported(rules, lane->stack.op[k] & TK_OP_TIMER);
    for (size_t i = 1; i < k; i++)
        if (tk_scope_reported(rules, lane->stack.op[i] & TK_OP_TIMER) == timer)
            return false;
    return true;
}

/* A scope that was open, and its children. */
struct open_before {
    struct tk_stacked scope;
    uint64_t children;
};

/* The scope as it is open now, so that what it knows of its children stays. *next: the first that it may be,
 * as those around it come in front. */
static struct open_before go_on(const struct open_before *before, size_t n, size_t *next,
                                const struct tk_state_scope *scope)
{
    for (size_t i = *next; i < n; i++)
        if (tk_state_scope_is(scope, before[i].scope.begin, before[i].scope.op & OP_KEPT)) {
            *next = i + 1;
            return before[i];
        }
    return (struct open_before){.scope = {.begin = scope->begin, .id = scope->id, .op = scope->op}};
}

static void push(const struct tk_scope_rules *rules, struct tk_scope_lane *l, struct open_before *open)
{
    open->scope.before = l->own;
    tk_scope_stack_set(&l->stack, ++l->depth, &open->scope);
    l->stack.outer[l->depth] = is_outer(rules, l, l->depth);
    l->own += open->children;
}

static int set_stack(struct tk_scope_model *m, struct tk_scope_lane *l, const struct tk_lane_state *state)
{
    const size_t n = state->open.n, old = l->depth;
    struct open_before *before = malloc((old + 1) * sizeof *before);
    if (!before)
        return -1;
    for (size_t k = 0; k < old; k++)
        before[k] = (struct open_before){tk_scope_stack_at(&l->stack, k + 1), tk_scope_children(l, k + 1)};
    l->own = tk_scope_children(l, 0);
    l->depth = 0;
    size_t next = 0;
    int rc = 0;
    for (size_t k = 0; k < n && rc == 0; k++) {
        rc = tk_scope_lane_grow(&m->rules, l, n - k);
        if (rc || l->depth >= l->cap) {
            rc = -1;
            break;
        }
        struct open_before open = go_on(before, old, &next, &state->open.v[k]);
        push(&m->rules, l, &open);
        if (l->hashes)
            l->hashes[l->depth] = tk_path_hash(l->hashes[l->depth - 1], state->open.v[k].op & TK_OP_TIMER);
    }
    free(before);
    return rc;
}

int tk_scope_model_resume(struct tk_scope_model *m, uint32_t lane, const struct tk_lane_state *state)
{
    const struct tk_scope_run run = {.thread = state->thread, .lane = lane, .kind = state->kind};
    struct tk_scope_lane *l = tk_scope_model_lane(m, &run);
    if (!l || set_stack(m, l, state))
        return TK_ENOMEM;
    l->seen = true;
    l->first = state->first;
    l->last = state->last;
    l->begun = state->begun;
    l->unmatched = state->unmatched;
    l->raised = state->raised;
    l->max_depth = (size_t)state->max_depth;
    tk_scope_segment(&m->rules, l, l->last);
    return TK_OK;
}
