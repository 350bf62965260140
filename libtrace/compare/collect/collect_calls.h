/*
 * Sums by timer of a run being collected, kept per worker for the lanes of a class of threads. They are
 * integers, so the result does not depend on which worker processed which calls. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_CALLS_H
#define TK_COMPARE_COLLECT_COLLECT_CALLS_H

#include "compare/collect/collect_frames.h"
#include "compare/collect/collect_watch.h"
#include "model/sums/timer_sums.h"

/* Where in the run calls were. In parts of the usual class are those that are not elsewhere. */
struct tk_call_times {
    struct tk_run_part_sum parts[TK_CALL_PATH_SUMS]; /* that of the usual class stays empty */
    struct tk_run_part_sum outside;                  /* of all blocks */
    int64_t blocks[];                                /* own cycles, n_blocks of the run */
};

/* What is kept of the calls of a timer beside the sums that all tables of timers have. */
struct tk_call_sum {
    struct tk_call_times *times; /* owned; NULL: no call */
    uint64_t *calls;  /* owned; cycles of the first TK_SERIES_EXACT calls; NULL: none, or more than these */
    uint32_t n_calls; /* of them; TK_SERIES_EXACT + 1: more */
};

/* Zero-initialise, then tk_collect_calls_init. */
struct tk_collect_calls {
    const struct tk_collect_frames *frames; /* borrowed */
    struct tk_timer_sum_set cells;
    TK_VEC(struct tk_call_sum *) pages; /* owned, of TK_TIMER_SUM_PAGE timers */
    TK_VEC(struct tk_call_sum *) late;
    struct tk_watched_sums watched;
    TK_VEC(uint8_t) parts; /* of the slices taken last: the parts of the run that they are in */
};

void tk_collect_calls_init(struct tk_collect_calls *c, const struct tk_collect_frames *frames);

/* Adds slices, and sets `parts` for each: TK_CALL_PATH_NO_SUM outside of the blocks. 0, or -1 if out of
 * memory. */
int tk_collect_calls_take(struct tk_collect_calls *c, const struct tk_slices *s);

/* A timer and what its calls sum up to. */
struct tk_calls_entry {
    uint32_t timer;
    struct tk_timer_sum_cell *cell;
    struct tk_call_sum *sum;
};

/* The next timer that has calls: 1, 0 at the end, -1 if out of memory. *at begins with 0. In the order of
 * tk_timer_sum_next. */
int tk_collect_calls_next(struct tk_collect_calls *c, size_t *at, struct tk_calls_entry *out);

/* The sums of a part of the run. */
struct tk_run_part_sum tk_collect_calls_part(const struct tk_collect_calls *c, const struct tk_calls_entry *e,
                                             size_t part);

/* Adds what another worker has. 0, or -1 if out of memory. */
int tk_collect_calls_merge(struct tk_collect_calls *into, struct tk_collect_calls *from);

void tk_collect_calls_release(struct tk_collect_calls *c);

#endif
