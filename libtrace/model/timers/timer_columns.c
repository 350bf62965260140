/*
 * Columns of the tables `timers` and `gpu`.
 */
#include "model/timers/timer_columns.h"

/* Columns of both tables. */
#define TIMER_COLUMNS                                                                                        \
    [TK_TIMERS_TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},                                                 \
    [TK_TIMERS_KIND] = {"kind", TK_TEXT, TK_COL_OPTIONAL, NULL,                                              \
                        "spec, metadata, scoped_event, coroutine, zone; gpu, gpu_work or gpu_wait"},         \
    [TK_TIMERS_FILE_NAME] = {"file", TK_TEXT, TK_COL_OPTIONAL, NULL, "source file"},                         \
    [TK_TIMERS_LINE] = {"line", TK_UINT, TK_COL_OPTIONAL, NULL, "line in it"},                               \
    [TK_TIMERS_COUNT] = {"count", TK_UINT, 0, "calls", "complete scopes"},                                   \
    [TK_TIMERS_OPEN] = {"open", TK_UINT, 0, "calls",                                                         \
                        "scopes without an end, which no other column includes"},                            \
    [TK_TIMERS_INCL] =                                                                                       \
        {"incl", TK_DURATION, 0, NULL,                                                                       \
         "inclusive time; recursive calls are not counted twice (empty if only recursive calls ended)"},     \
    [TK_TIMERS_TOTAL] = {"total", TK_DURATION, TK_COL_OPTIONAL, NULL,                                        \
                         "sum of the durations of all calls, recursive ones included"},                      \
    [TK_TIMERS_EXCL] = {"excl", TK_DURATION, 0, NULL, "exclusive time: without the scopes inside"},          \
    [TK_TIMERS_WORKING] = {"working", TK_DURATION, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL,                   \
                           "exclusive time; empty for timers that wait, by name (schemas/work.txt)"},        \
    [TK_TIMERS_SHARE] = {"share", TK_REAL, TK_COL_EXTRA | TK_COL_PART, NULL,                                 \
                         "share of the exclusive time of all timers, 0 to 1"},                               \
    [TK_TIMERS_MIN] = {"min", TK_DURATION, TK_COL_OPTIONAL, NULL, "shortest call"},                          \
    [TK_TIMERS_MAX] = {"max", TK_DURATION, 0, NULL, "longest call"},                                         \
    [TK_TIMERS_MEAN] = {"mean", TK_MEAN, TK_COL_OPTIONAL, NULL, "mean duration of a call"},                  \
    [TK_TIMERS_MEDIAN] = {"median", TK_DURATION, 0, NULL, "median duration of a call (to 0.8 %)"},           \
    [TK_TIMERS_P50] = {"p50", TK_DURATION, TK_COL_EXTRA, NULL, "same as median"},                            \
    [TK_TIMERS_P90] = {"p90", TK_DURATION, TK_COL_EXTRA, NULL,                                               \
                       "90th percentile of the durations (to 0.8 %)"},                                       \
    [TK_TIMERS_P95] = {"p95", TK_DURATION, 0, NULL, "95th percentile of the durations (to 0.8 %)"},          \
    [TK_TIMERS_P99] = {"p99", TK_DURATION, 0, NULL, "99th percentile of the durations (to 0.8 %)"},          \
    [TK_TIMERS_P999] = {"p999", TK_DURATION, TK_COL_EXTRA, NULL,                                             \
                        "99.9th percentile of the durations (to 0.8 %)"},                                    \
    [TK_TIMERS_MODE] = {"mode", TK_DURATION, TK_COL_EXTRA, NULL,                                             \
                        "most frequent duration of a call (to 0.8 %)"},                                      \
    [TK_TIMERS_STDDEV] = {"stddev", TK_MEAN, TK_COL_EXTRA, NULL, "standard deviation of the durations"},     \
    [TK_TIMERS_FRAME_MEAN] = {"frame_mean", TK_MEAN, TK_COL_EXTRA, NULL,                                     \
                              "mean of incl per complete game frame"},                                       \
    [TK_TIMERS_FRAME_P95] = {"frame_p95", TK_DURATION, TK_COL_EXTRA, NULL,                                   \
                             "95th percentile of incl per complete game frame (to 0.4 %)"}

static const struct tk_column columns[TK_TIMERS_COLUMNS] = {
    [TK_TIMERS_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_GROUP, NULL, "id of the thread in the capture"},
    [TK_TIMERS_THREAD] = {"thread", TK_TEXT, TK_COL_GROUP, NULL, "name of the thread"},
    TIMER_COLUMNS,
};

static const struct tk_column gpu_columns[TK_TIMERS_COLUMNS] = {
    [TK_TIMERS_THREAD_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue in the capture"},
    [TK_TIMERS_THREAD] = {"queue", TK_TEXT, 0, NULL, "name of the GPU queue"},
    TIMER_COLUMNS,
};

const struct tk_table tk_timers_table = {
    .name = "timers",
    .help = "timers: calls and times of scopes",
    .columns = columns,
    .n_columns = TK_TIMERS_COLUMNS,
    .flags = TK_TABLE_TIMES,
    .sort_by = "working",
};

const struct tk_table tk_timers_gpu_table = {
    .name = "gpu",
    .help = "timers of GPU queues: calls and times of their scopes, and of all work and waiting",
    .columns = gpu_columns,
    .n_columns = TK_TIMERS_COLUMNS,
    .sort_by = "incl",
};
