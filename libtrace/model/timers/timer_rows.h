/*
 * Tables `timers` and `gpu`: what was summed up, and the rows that it becomes.
 */
#ifndef TK_MODEL_TIMERS_TIMER_ROWS_H
#define TK_MODEL_TIMERS_TIMER_ROWS_H

#include "base/vec.h"
#include "model/threads/work_kind.h"
#include "model/sums/frame_sums.h"
#include "model/sums/timer_sums.h"
#include "query/context_cells.h"

struct tk_timers {
    const struct tk_query_context *view;
    uint64_t columns;
    unsigned what;                 /* TK_TIMER_SUM_... */
    uint64_t facts;                /* of TK_SCOPE_FACTS; of the table `gpu` GPU_SCOPES alone */
    bool by_thread;                /* or by queue */
    struct tk_timer_sum_sets sets; /* by lane or by worker */
    TK_VEC(uint32_t) threads;      /* by lane: id; only by thread */
    TK_VEC(uint8_t) kinds;         /* likewise: enum tk_lane_kind */
    struct tk_frame_sums frames;   /* with TK_TIMER_SUM_FRAMES */
    uint64_t all_excl;             /* of all timers; modulo 2^64 */
    struct tk_work_rules work;     /* with TK_TIMERS_WORKING */
};

/* Sends a row for each timer of each set, once sets are merged and late timers counted with what they are. */
int tk_timer_rows_send(struct tk_timers *t, struct tk_emit *emit, struct tk_err *err);

#endif
