/*
 * Recorder: what a whole reading finds out of scopes, as the section that is kept of it (kept/kept_file.h
 * says what is in it and why). scope_memory.h reads it.
 *
 *   facts that are known: a mask | are scopes numbered? | how many facts, facts (kept_facts.h)
 *   points, up to that of the end; of each:
 *     place since the one before | least time of what came since | greatest time of all so far
 *     bytes of the state of the source, state | bytes of the lanes that changed, each with
 *       number, thread, kind, first, last, begun, unmatched, raised, greatest depth,
 *       open scopes that are those of the point before, others: how many, each with begin, number, timer
 */
#ifndef TK_ENGINE_SCOPE_RECORDER_H
#define TK_ENGINE_SCOPE_RECORDER_H

#include "fact/format.h"
#include "fact/kept.h"
#include "model/scopes/lane_states.h"

struct tk_scope_recorder {
    struct tk_context *ctx;                         /* borrowed; NULL: nothing is recorded */
    uint64_t mask;                                  /* kinds of facts that are kept */
    struct tk_kept_bytes facts, points, lane_bytes; /* the latter of the point in the making */
    uint64_t n_facts;
    TK_VEC(struct tk_lane_state) lanes; /* as they were at the last point */
    TK_VEC(uint8_t) changed;            /* by lane: since then */
    struct tk_lane_state now;
    uint64_t place;   /* of the last point */
    int64_t least;    /* since then */
    int64_t greatest; /* of all */
    bool numbers;     /* scopes are numbered */
    bool ended;       /* the point of the end is there */
    bool failed;      /* it cannot be told, or is too much */
};

/* Begins: facts of these kinds are kept as they come. */
void tk_scope_recorder_begin(struct tk_scope_recorder *r, struct tk_context *ctx, uint64_t mask);

/* A batch comes, before the model has worked off its runs, and after. */
void tk_scope_recorder_before(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                              const struct tk_batch *batch);
void tk_scope_recorder_after(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                             const struct tk_batch *batch);

/* All is read, and nothing else is noted yet: makes the section where no fault was found. */
void tk_scope_recorder_end(struct tk_scope_recorder *r);

void tk_scope_recorder_release(struct tk_scope_recorder *r);

#endif
