/*
 * Columns of the tables `timers` and `gpu`, which are the same but for the name of the lane.
 */
#ifndef TK_MODEL_TIMERS_TIMER_COLUMNS_H
#define TK_MODEL_TIMERS_TIMER_COLUMNS_H

#include "tracekit.h"

enum tk_timer_column {
    TK_TIMERS_THREAD_ID, /* or of the queue */
    TK_TIMERS_THREAD,
    TK_TIMERS_TIMER,
    TK_TIMERS_KIND,
    TK_TIMERS_FILE_NAME,
    TK_TIMERS_LINE,
    TK_TIMERS_COUNT,
    TK_TIMERS_OPEN,
    TK_TIMERS_INCL,
    TK_TIMERS_TOTAL,
    TK_TIMERS_EXCL,
    TK_TIMERS_WORKING,
    TK_TIMERS_SHARE,
    TK_TIMERS_MIN,
    TK_TIMERS_MAX,
    TK_TIMERS_MEAN,
    TK_TIMERS_MEDIAN,
    TK_TIMERS_P50,
    TK_TIMERS_P90,
    TK_TIMERS_P95,
    TK_TIMERS_P99,
    TK_TIMERS_P999,
    TK_TIMERS_MODE,
    TK_TIMERS_STDDEV,
    TK_TIMERS_FRAME_MEAN,
    TK_TIMERS_FRAME_P95,
    TK_TIMERS_COLUMNS
};

#define TK_TIMERS_BIT(column) (UINT64_C(1) << (column))
#define TK_TIMERS_CALL_SKETCH                                                                                \
    (TK_TIMERS_BIT(TK_TIMERS_MODE) | TK_TIMERS_BIT(TK_TIMERS_MEDIAN) | TK_TIMERS_BIT(TK_TIMERS_P50) |        \
     TK_TIMERS_BIT(TK_TIMERS_P90) | TK_TIMERS_BIT(TK_TIMERS_P95) | TK_TIMERS_BIT(TK_TIMERS_P99) |            \
     TK_TIMERS_BIT(TK_TIMERS_P999))
#define TK_TIMERS_FRAME_COLUMNS (TK_TIMERS_BIT(TK_TIMERS_FRAME_MEAN) | TK_TIMERS_BIT(TK_TIMERS_FRAME_P95))

extern const struct tk_table tk_timers_table;
extern const struct tk_table tk_timers_gpu_table;

#endif
