/*
 * What a baseline holds, as rows of tables: its runs, and of each run the frames, timers and values that are
 * kept. The tables have the names and columns of those of captures where they say the same, behind the number
 * of the run.
 */
#ifndef TK_COMPARE_LISTING_LISTING_H
#define TK_COMPARE_LISTING_LISTING_H

#include "compare/baseline/baseline.h"
#include "tracekit/tables.h"

struct tk_listing {
    struct tk_table table; /* times are nanoseconds */

    /* Sends the rows of a run, which has a number from 1. TK_OK or what a hook returned. */
    int (*rows)(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,
                const struct tk_sink *sink, struct tk_err *err);
};

extern const struct tk_listing tk_listing_runs, tk_listing_frames, tk_listing_timers, tk_listing_durations,
    tk_listing_gpu, tk_listing_counters, tk_listing_memory, tk_listing_loading, tk_listing_log,
    tk_listing_metrics;

/* All of them, NULL-terminated. */
extern const struct tk_listing *const tk_listings[];

/* Sends a table of all runs. */
int tk_listing_send(const struct tk_listing *listing, const struct tk_baseline *b, const struct tk_sink *sink,
                    struct tk_err *err);

#endif
