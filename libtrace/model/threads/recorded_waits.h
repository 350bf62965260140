/*
 * Recorded waits: which timers wait, by the waits that the capture records, for tasks and for locks, whatever
 * the timers are called.
 *
 * Facts come before the scopes that they happened in end. A wait belongs to the innermost scope around it,
 * less what ran inside meanwhile; a timer waits when at least half of its own time is such waits.
 */
#ifndef TK_MODEL_EXECUTION_RECORDED_WAITS_H
#define TK_MODEL_EXECUTION_RECORDED_WAITS_H

#include "base/health/row_limit.h"
#include "query/select.h"
#include "query/slices.h"

struct tk_dict;

#define TK_RECORDED_WAIT_FACTS  (TK_FACT_MASK(TASK_WAIT) | TK_FACT_MASK(LOCK))
#define TK_RECORDED_WAIT_SLICES TK_SLICE_BEGIN

/* Own time of a timer and what of it are waits, cycles. */
struct tk_recorded_wait_time {
    uint64_t own, waited;
};

struct tk_known_thread;

struct tk_recorded_waits {
    const struct tk_select *select;              /* borrowed */
    TK_VEC(struct tk_known_thread *) threads;    /* owned */
    struct tk_map by_thread;                     /* id -> place in threads */
    TK_VEC(struct tk_known_thread *) lanes;      /* by number; NULL: had no run */
    TK_VEC(struct tk_recorded_wait_time) timers; /* by id, when all is read */
    struct tk_row_limit capacity;                /* for waits that no scope has ended around yet */
};

void tk_recorded_waits_init(struct tk_recorded_waits *t, const struct tk_select *select,
                            struct tk_row_limit capacity);

/* Facts and lanes of a batch, before its slices. 0, or -1 without memory. */
int tk_recorded_waits_feed(struct tk_recorded_waits *t, const struct tk_batch *batch);

/* Slices of a lane of a thread, by several workers for different lanes. 0, or -1 without memory. */
int tk_recorded_waits_take(struct tk_recorded_waits *t, const struct tk_slices *slices);

/* When all is read and before anybody queries. 0, or -1 without memory. */
int tk_recorded_waits_settle(struct tk_recorded_waits *t, struct tk_dict *dict);

/* Does the capture tell that a timer waits? */
bool tk_recorded_waits_has(const struct tk_recorded_waits *t, uint32_t timer);

void tk_recorded_waits_release(struct tk_recorded_waits *t);

#endif
