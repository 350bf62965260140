/*
 * A chapter of tracekit.h: histories of runs.
 */
#ifndef TRACEKIT_TRENDS_H
#define TRACEKIT_TRENDS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_baseline;
struct tk_outcome;
struct tk_output;
struct tk_report_options;

/* ---- 12 trends: what changed in a history of runs ----
 *
 * A history holds one value per run and series: percentiles of frame times, timers, memory and so on, of runs
 * in order. It is made from baselines or from numbers. A trend is the list of its changes: at which night
 * (the runs of one build), by how much, and how certain.
 *
 *     tk_history_new(&history, &err);
 *     rc = tk_history_read(history, "folder", &err);          runs.csv, series.csv, values.csv
 *     or for each file
 *         rc = tk_history_add(history, baseline, path, &err);
 *     rc = tk_history_sort(history, TK_ORDER_TIME, &err);     not after tk_history_read
 *     rc = tk_trend_find(&trend, history, NULL, &err);
 *     if (rc == TK_OK && tk_trend_regressed(trend))
 *         rc = tk_trend_report(trend, "text", out, NULL, &err);
 */

struct tk_history;
struct tk_trend;

/* An empty history; free with tk_history_free. TK_OK or TK_ENOMEM. */
TK_API int tk_history_new(struct tk_history **out, struct tk_err *err);

/* Frames a second that are wanted, for the series of missed and late frames of runs that are added later; 0:
 * none. */
TK_API int tk_history_target(struct tk_history *history, double target, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_history_free(struct tk_history *history);

/* The number of its runs. */
TK_API size_t tk_history_count(const struct tk_history *history);

/*
 * Reads the files runs.csv, series.csv and values.csv of a folder into an empty history. TK_OK; TK_EFORMAT
 * with file and line; TK_EIO, TK_ELIMIT, TK_ENOMEM. After a failure the history can only be freed.
 */
TK_API int tk_history_read(struct tk_history *history, const char *folder, struct tk_err *err);

/*
 * Adds the values of all runs of a baseline, which is not used afterwards. Runs that the history has already
 * are left out and named in reports. `name` is the name of its runs. TK_OK or TK_ENOMEM.
 */
TK_API int tk_history_add(struct tk_history *history, const struct tk_baseline *baseline, const char *name,
                          struct tk_err *err);

enum tk_history_order {
    TK_ORDER_TIME, /* time of recording, which has to be known for every run */
    TK_ORDER_NAME,
    TK_ORDER_GIVEN
};

/* Orders the runs that were added, and groups those of one build. TK_OK; TK_EMATCH where runs have no time,
 * or have one and the same without a number in build or name that says which is first; TK_ENOMEM. */
TK_API int tk_history_sort(struct tk_history *history, enum tk_history_order order, struct tk_err *err);

struct tk_trend_options {
    size_t size;
    double chance;      /* of a false change in a history without changes; 0: 0.05 */
    double floor;       /* ignore changes below this ratio; 0: 0.01 */
    double alarm;       /* changes with a lower p-value are regressions; 0: 0.001 */
    const char *since;  /* name, file, build or number of a run: all changes since then that still hold count;
                           NULL: only the newest change of each series */
    bool likely;        /* drifts and steps that are less sure count, too */
    bool open;          /* changes count as long as they hold, not only on the run that makes them sure */
    const char *series; /* pattern of series (* and ?, with | between several): where one of them is unknown,
                           so is the answer; NULL: none. TK_EMATCH where nothing is called so. Borrowed */
};

/*
 * Finds changes; opt may be NULL. The history is borrowed until the trend is freed. TK_OK; TK_EMATCH (no
 * runs, or no run matches `since`); TK_EUSAGE, TK_ENOMEM.
 */
TK_API int tk_trend_find(struct tk_trend **out, const struct tk_history *history,
                         const struct tk_trend_options *opt, struct tk_err *err);

/* Excludes accepted changes from the verdict, by a file as of tk_comparison_accept. They are still reported.
 * `since` in the file is compared with the time of the first run with the change. As
 * tk_comparison_accept. */
TK_API int tk_trend_accept(struct tk_trend *trend, const char *path, int64_t now, struct tk_err *err);

struct tk_owners;

/* Says of the changes of timers and passes who owns them, by their names and classes of threads: a history
 * does not know the files of sources. TK_OK or TK_ENOMEM. */
TK_API int tk_trend_own(struct tk_trend *trend, const struct tk_owners *owners, struct tk_err *err);

/* Is the newest change of a series a regression? */
TK_API bool tk_trend_regressed(const struct tk_trend *trend);

/* How it ended (errors.h). NULL without a trend. Static. */
TK_API const struct tk_outcome *tk_trend_outcome(const struct tk_trend *trend);

/* "text", "markdown", "json", "csv", "junit", "html"; NULL-terminated, static. */
TK_API const char *const *tk_trend_reports(void);

/* Writes a report. As tk_comparison_report. */
TK_API int tk_trend_report(const struct tk_trend *trend, const char *kind, struct tk_output *out,
                           const struct tk_report_options *opt, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_trend_free(struct tk_trend *trend);

#ifdef __cplusplus
}
#endif

#endif
