/*
 * Counting: what counters of a kind are worth when. Facts say changes, in no order of time across threads;
 * this puts them in order, applies them, and passes each new value to its user.
 *
 * Order: changes and frames wait in a window (limit `counter_window`) until it is full; then the older half
 * of them is used. What comes after later ones were used is late: it counts at the time reached and is noted.
 * Of one time, frames come first, then seq decides, then the order in which changes came.
 *
 * Rules (events 4 and 6.1): a plain counter and a memory tag are set. A statistic is set and added to; one
 * that clears begins each game frame with 0, and has a counter of its own with the last value of each frame.
 * Those of tasks follow from what happens to them. A series has one value a frame: the changes in it put
 * together, the first of which sets; it is passed on when the frame is over, at the end of the frame before
 * (the first one: at its begin). Changes before the first frame count to that.
 */
#ifndef TK_MODEL_COUNTERS_COUNTING_H
#define TK_MODEL_COUNTERS_COUNTING_H

#include "model/marks/counting_state.h"
#include "query/builder.h"

/* Begins without counters. */
void tk_counting_init(struct tk_counting *c, const struct tk_query_context *view, enum tk_counter_kind kind,
                      tk_counted_fn *fn, void *ctx);

/* Takes the facts of a batch. TK_OK, TK_ENOMEM or what fn said. */
int tk_counting_feed(struct tk_counting *c, const struct tk_batch *batch, struct tk_err *err);

/* Uses what waits; everything was read. As feed. */
int tk_counting_finish(struct tk_counting *c, struct tk_err *err);

void tk_counting_release(struct tk_counting *c);

/* A number of a counter as a cell. */
struct tk_cell tk_counting_cell(const struct tk_counter *counter, struct tk_number number);

/* Unit of its values, or NULL. Static. */
const char *tk_counting_unit(const struct tk_counter *counter);

/* Name of a counter as a cell, the bytes of a made-up one kept by the rows. */
struct tk_cell tk_counting_name(const struct tk_counter *counter, struct tk_emit *emit);

#endif
