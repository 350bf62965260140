/*
 * The tables of sums of samples. See sample_sum_tables.h.
 */
#include "model/samples/sample_sum_tables.h"

#define THREAD_COLUMNS                                                                                       \
    [TK_SAMPLE_SUM_SYSTEM_ID] = {"system_id", TK_INT, TK_COL_EXTRA, NULL,                                    \
                                 "with --by thread: thread id of the operating system"},                     \
    [TK_SAMPLE_SUM_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_GROUP, NULL, "with --by thread: its id"},      \
    [TK_SAMPLE_SUM_THREAD] = {"thread", TK_TEXT, TK_COL_GROUP, NULL, "with --by thread: its name"},          \
    [TK_SAMPLE_SUM_PROCESS_ID] = {"process_id", TK_UINT, TK_COL_EXTRA, NULL,                                 \
                                  "with --by thread: process id, if known"}

#define SUM_COLUMNS                                                                                          \
    [TK_SAMPLE_SUM_OWN] = {"excl", TK_UINT, 0, "samples", "samples in the function itself"},                 \
    [TK_SAMPLE_SUM_OWN_SHARE] = {"excl_share", TK_REAL, TK_COL_PART, NULL,                                   \
                                 "share of all samples, or of those of the thread, 0 to 1"},                 \
    [TK_SAMPLE_SUM_OWN_TIME] = {"excl_time", TK_DURATION, TK_COL_OPTIONAL, NULL,                             \
                                "estimated time, from the sampling interval if it is known"},                \
    [TK_SAMPLE_SUM_INCL_TIME] = {"incl_time", TK_DURATION, TK_COL_OPTIONAL, NULL, "estimated time"},         \
    [TK_SAMPLE_SUM_INCL] = {"incl", TK_UINT, 0, "samples", "samples in it or in functions that it called"},  \
    [TK_SAMPLE_SUM_INCL_SHARE] = {"incl_share", TK_REAL, TK_COL_PART, NULL,                                  \
                                  "share of all samples, or of those of the thread, 0 to 1"},                \
    RUN_COLUMNS(TK_SAMPLE_SUM_RUNNING, "", TK_COL_EXTRA | TK_COL_HUMAN_ONLY | TK_COL_OPTIONAL,               \
                "in the function itself"),                                                                   \
    RUN_COLUMNS(TK_SAMPLE_SUM_INCL_RUNNING, "incl_", TK_COL_EXTRA, "in it or in functions that it called")

/* Of context switches. The runs of a thread are shared out by the samples in them (sample_runs.h). */
#define RUN_COLUMNS(first, prefix, flag, where)                                                              \
    [first] = {prefix "running", TK_DURATION, flag, NULL, "time on a core " where ", by context switches"},  \
    [first + 1] = {prefix "waiting", TK_DURATION, flag, NULL, "time off core that began " where},            \
    [first + 2] = {prefix "waits", TK_UINT, flag, "waits",                                                   \
                   "number of times that a thread went off core " where},                                    \
    [first + 3] = {prefix "wakeups", TK_UINT, flag, "wake-ups",                                              \
                   "number of times that a thread came back on a core " where}

#define FUNCTION_HELP "function; without symbols module and offset, or the address"
#define MODULE_COLUMN                                                                                        \
    {                                                                                                        \
        "module", TK_TEXT, 0, NULL, "executable or library"                                                  \
    }

static const struct tk_column function_columns[TK_SAMPLE_SUM_COLUMNS] = {
    THREAD_COLUMNS,
    [TK_SAMPLE_SUM_FUNCTION] = {"function", TK_TEXT, 0, NULL, FUNCTION_HELP},
    [TK_SAMPLE_SUM_MODULE] = MODULE_COLUMN,
    [TK_SAMPLE_SUM_FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file of the first sample"},
    [TK_SAMPLE_SUM_LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line of the first sample"},
    SUM_COLUMNS,
};

static const struct tk_column line_columns[TK_SAMPLE_SUM_COLUMNS] = {
    THREAD_COLUMNS,
    [TK_SAMPLE_SUM_FUNCTION] = {"function", TK_TEXT, 0, NULL, FUNCTION_HELP},
    [TK_SAMPLE_SUM_MODULE] = MODULE_COLUMN,
    [TK_SAMPLE_SUM_FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source file; empty if it is not known"},
    [TK_SAMPLE_SUM_LINE] = {"line", TK_UINT, 0, NULL, "line in it"},
    SUM_COLUMNS,
};

static const struct tk_column module_columns[TK_SAMPLE_SUM_COLUMNS] = {
    THREAD_COLUMNS,
    [TK_SAMPLE_SUM_FUNCTION] = {"function", TK_TEXT, TK_COL_EXTRA, NULL, "a function of it"},
    [TK_SAMPLE_SUM_MODULE] = {"module", TK_TEXT, 0, NULL, "executable or library; empty: none"},
    [TK_SAMPLE_SUM_FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "a source file of it"},
    [TK_SAMPLE_SUM_LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "a line of it"},
    SUM_COLUMNS,
};

const struct tk_table tk_sample_sum_tables[TK_SAMPLE_SUM_TABLES] = {
    {.name = "sample_functions",
     .help = "stack samples by function, inlined ones too: exclusive and inclusive",
     .columns = function_columns,
     .n_columns = TK_SAMPLE_SUM_COLUMNS,
     .sort_by = "excl"},
    {.name = "sample_lines",
     .help = "stack samples by source line",
     .columns = line_columns,
     .n_columns = TK_SAMPLE_SUM_COLUMNS,
     .sort_by = "excl"},
    {.name = "sample_modules",
     .help = "stack samples by executable and library",
     .columns = module_columns,
     .n_columns = TK_SAMPLE_SUM_COLUMNS,
     .sort_by = "excl"},
};
