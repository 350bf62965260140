/*
 * Samples and context switches together: for how long threads ran in the stacks that they were sampled in,
 * how often and how long they waited there, and how often they were in them first after time off the cores.
 * Tables of samples by function add these up.
 *
 * A run is a stretch of time that a thread is on cores. Samples share out the run that they fall into: each
 * has the time up to the next one, the first also what lies before it. The wait behind a run belongs to its
 * last sample, the wake-up in front of it to its first. Runs without a sample tell nothing. Samples that are
 * not selected take part, so that the times of parts of a capture add up to those of the whole; where timers
 * are selected, calls outside of the selection decide about them.
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_RUNS_H
#define TK_MODEL_SAMPLES_SAMPLE_RUNS_H

#include "model/threads/switch_list.h"
#include "model/samples/sample_stacks.h"

/* Selected cycles, and waits and wake-ups that begin at a selected time. */
struct tk_sample_run_times {
    uint64_t running, waiting, waits, wakeups;
};

/* Those of each stack of `s`, all of whose samples were kept with their times: v[i] of the stack i, to be
 * freed. NULL: out of memory. The list is finished. */
struct tk_sample_run_times *tk_sample_runs(const struct tk_sample_stacks *s,
                                           const struct tk_switch_list *list);

#endif
