/*
 * Values of a run being collected that are not scopes: counters, memory tags, log errors. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_VALUES_H
#define TK_COMPARE_COLLECT_COLLECT_VALUES_H

#include "compare/collect/collect_frames.h"
#include "model/marks/counting.h"

#define TK_COLLECT_VALUES_FACTS (TK_COUNTING_FACTS(COUNTER_VALUE) | TK_COUNTING_FACTS(TAG_VALUE))

struct tk_collect_values;

struct tk_collect_counter {
    struct tk_series *series; /* the run's; NULL: no value yet */
    uint32_t times;           /* 1 + index of its watched frames in the run; 0: it is not watched */
    bool framed;              /* it had a value since the first frame began */
};

/* Counters of a kind. */
struct tk_collect_counters {
    struct tk_collect_values *of;
    struct tk_counting counting;
    TK_VEC(struct tk_collect_counter) v; /* by counter */
    uint8_t kind;                        /* of the series */
};

struct tk_collect_values {
    const struct tk_query_context *view; /* borrowed, as the next two */
    struct tk_base_run *run;
    const struct tk_collect_frames *frames;
    const struct tk_watch *watch; /* may be NULL */
    struct tk_collect_counters counters[2];
    struct tk_series *errors; /* of the log; the run's */
    uint32_t error_times;     /* as of counters */
    char fatal[160];          /* the begin of the last fatal message; NUL-terminated */
    int64_t fatal_at;         /* when that was; INT64_MIN: there was none */
};

/* The struct must stay where it is. TK_OK or TK_ENOMEM. */
int tk_collect_values_init(struct tk_collect_values *v, const struct tk_query_context *view,
                           struct tk_base_run *run, const struct tk_collect_frames *frames,
                           const struct tk_watch *watch, struct tk_err *err);
int tk_collect_values_feed(struct tk_collect_values *v, const struct tk_batch *batch, struct tk_err *err);

/* Names the series. */
int tk_collect_values_finish(struct tk_collect_values *v, struct tk_err *err);
void tk_collect_values_release(struct tk_collect_values *v);

#endif
