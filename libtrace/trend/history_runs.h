/*
 * Histories of the runs of baselines: each run becomes one value a series.
 */
#ifndef TK_COMPARE_HISTORY_HISTORY_RUNS_H
#define TK_COMPARE_HISTORY_HISTORY_RUNS_H

#include "compare/baseline/baseline.h"
#include "trend/history.h"

/* Adds the runs of a baseline, but for those that are there, which are told. `name` is what they are called,
 * with a number behind it where there are several. 0, or -1 if out of memory. */
int tk_history_take(struct tk_history *h, const struct tk_baseline *b, const char *name);

/*
 * What a run comes to, for its frames and each of its series:
 *
 *     frames    percentiles 50, 90 and 99, in ms; hitches (frames of more than twice the middle one) a minute
 *     timers    own time, in ms a frame; the parent is what calls it most, where that is known
 *     gpu       the same
 *     loading   ms of the run
 *     memory    greatest bytes
 *     counters  mean of the values
 *
 * Values of series with the same kind, group and name are added up. Errors of the log are left out.
 */

/* Orders the runs by time (else by name, where that of a run is not known), by name, or not at all; then
 * numbers the nights: runs of one build in a row are one, unless all are of one. 0, or -1 if out of memory.
 */
int tk_history_arrange(struct tk_history *h, enum tk_history_order order);

#endif
