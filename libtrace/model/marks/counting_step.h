/*
 * The inside of counting: counting.c puts changes and frames in order, and this applies them one by one and
 * passes on the new values.
 */
#ifndef TK_MODEL_COUNTERS_COUNTING_STEP_H
#define TK_MODEL_COUNTERS_COUNTING_STEP_H

#include "model/marks/counting_state.h"

/* A counter more, not in the index. It moves all counters. NULL if out of memory. */
struct tk_counter *tk_counting_add(struct tk_counting *c, uint64_t id);

/* Applies one change, or the begin or end of a frame; none is earlier than one before it. TK_OK, TK_ENOMEM or
 * what fn said. */
int tk_counting_step(struct tk_counting *c, const struct tk_counting_held *held, struct tk_err *err);

/* No more will come: tells the values of frames that did not end. As tk_counting_step(). */
int tk_counting_end(struct tk_counting *c, struct tk_err *err);

#endif
