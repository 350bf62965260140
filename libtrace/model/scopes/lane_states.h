/*
 * What the scope model knows of a lane at a moment of a reading, as plain data: to go on from there in a
 * later reading that does not read what was in front of it.
 */
#ifndef TK_MODEL_SCOPES_LANE_STATES_H
#define TK_MODEL_SCOPES_LANE_STATES_H

#include "base/vec.h"
#include "model/scopes/scope_lane.h"

/* An open scope. */
struct tk_state_scope {
    int64_t begin;
    uint64_t id; /* where scopes are numbered, else 0 */
    uint32_t op; /* timer, perhaps with TK_OP_STAMPED */
};

struct tk_lane_state {
    uint32_t thread;
    uint8_t kind; /* enum tk_lane_kind */
    bool seen;    /* it had a run; else all else is 0 */
    int64_t first, last;
    uint64_t begun, unmatched, raised, max_depth;
    TK_VEC(struct tk_state_scope) open; /* outermost first; owned */
};

/* Are scopes numbered? They are where somebody requests it (TK_SLICE_PLACE). */
bool tk_scope_model_numbers(const struct tk_scope_model *m);

/* Is it the same scope? One that has gone and another one differ unless both are as old as the moment itself.
 */
static inline bool tk_state_scope_is(const struct tk_state_scope *a, int64_t begin, uint32_t op)
{
    return a->begin == begin && a->op == op;
}

/* How many lanes have had a run, or come before one that had. */
size_t tk_scope_model_lanes(const struct tk_scope_model *m);

/* The greatest time of a lane so far; INT64_MIN: it has had no run. */
int64_t tk_scope_model_last(const struct tk_scope_model *m, uint32_t lane);

/* The state of a lane, whose vector is used again. TK_OK; TK_ENOMEM; TK_ELIMIT: it cannot be reported, as
 * scopes of it were lost, or are deeper than the limit. */
int tk_scope_model_state(const struct tk_scope_model *m, uint32_t lane, struct tk_lane_state *out);

/*
 * Sets a lane to a state. What was open before and is in it keeps what is known of its children: all that it
 * had meanwhile must lie outside of the selection. TK_OK or TK_ENOMEM.
 */
int tk_scope_model_resume(struct tk_scope_model *m, uint32_t lane, const struct tk_lane_state *state);

#endif
