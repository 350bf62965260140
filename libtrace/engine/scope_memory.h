/*
 * Memory: the section that a recorder made, read: the facts in it, and a plan of what is
 * still to be read of the capture for a part of its time.
 */
#ifndef TK_ENGINE_SCOPE_MEMORY_H
#define TK_ENGINE_SCOPE_MEMORY_H

#include "base/text/intern.h"
#include "fact/format.h"
#include "fact/kept.h"
#include "model/scopes/lane_states.h"

struct tk_scope_memory {
    bool there;                   /* else nothing is known */
    uint64_t mask;                /* kinds of facts that are */
    bool numbers;                 /* scopes are numbered */
    TK_VEC(struct tk_fact) facts; /* those that were loaded, in the order of the file */
    struct tk_intern texts;
    struct tk_bytes points;
    const struct tk_limits *limits; /* borrowed */
};

/* Reads what is kept of a capture, of facts those of some kinds: there may be very many frames. TK_OK, also
 * where that is nothing or is wrong; TK_ENOMEM. *m is to be released either way. */
int tk_scope_memory_load(struct tk_scope_memory *m, const struct tk_context *ctx, uint64_t kinds,
                         struct tk_err *err);

/* Facts of these kinds as a batch; the vector is released by the caller. TK_OK or TK_ENOMEM. */
int tk_scope_memory_facts(const struct tk_scope_memory *m, uint64_t kinds, struct tk_batch *batch,
                          struct tk_fact **v, struct tk_err *err);

void tk_scope_memory_release(struct tk_scope_memory *m);

/* The states of all lanes at a place. */
struct tk_lane_states {
    TK_VEC(struct tk_lane_state) lanes;
};

/* Pieces to be read, and what lanes are set to in front of each. The last piece is the end and holds nothing.
 */
struct tk_scope_plan {
    TK_VEC(struct tk_piece) pieces;
    TK_VEC(struct tk_lane_states) states; /* one a piece */
};

/*
 * What has to be read for scopes that touch the times [from, to). TK_OK; TK_ENOMEM; TK_EFORMAT: the bytes are
 * wrong, and all has to be read. *plan is to be released either way.
 */
int tk_scope_memory_plan(const struct tk_scope_memory *m, int64_t from, int64_t to,
                         struct tk_scope_plan *plan);

void tk_scope_plan_release(struct tk_scope_plan *plan);

#endif
