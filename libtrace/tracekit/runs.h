/*
 * A chapter of tracekit.h: baselines, comparisons and budgets.
 */
#ifndef TRACEKIT_RUNS_H
#define TRACEKIT_RUNS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tk_outcome;
struct tk_output;
struct tk_owners;
struct tk_query;
struct tk_result;
struct tk_selection;
struct tk_sink;
struct tk_str;
struct tk_table;
struct tk_trace;

/* ---- 11 baselines and comparisons ----
 *
 * A baseline holds what is compared of one or more runs, in some kilobytes per run. It is made from captures,
 * or read from a file. Two baselines are compared:
 *
 *     tk_baseline_new(&base, &err);
 *     rc = tk_baseline_add(base, old_trace, NULL, &err);      once per run; then the capture can be closed
 *     ...
 *     rc = tk_compare(&comparison, base, candidate, NULL, &err);
 *     if (rc == TK_OK && tk_comparison_regressed(comparison))
 *         rc = tk_comparison_rows(comparison, &sink, &err);
 *
 * The significance of a change follows from the spread between runs, so use several runs per side if
 * possible.
 */

struct tk_baseline;
struct tk_comparison;

/* An empty baseline; free with tk_baseline_free. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_new(struct tk_baseline **out, struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_baseline_free(struct tk_baseline *baseline);

/* The number of its runs. */
TK_API size_t tk_baseline_count(const struct tk_baseline *baseline);

/* Do the first bytes of the file identify a baseline? 1, 0, or TK_ENOMEM. Standard input ("-") and pipes,
 * which cannot be read twice, never count as one. */
TK_API int tk_baseline_is(const char *path);

/*
 * Adds all runs of a baseline file. TK_OK; TK_EFORMAT (a newer version, a wrong checksum, cut off);
 * TK_EUSAGE (a run that it has already); TK_EIO, TK_ENOMEM, TK_ELIMIT.
 */
TK_API int tk_baseline_load(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * The same for use with tk_history_add() only, but many times faster: of runs written by this version or
 * later only the values that histories hold are read. Such runs cannot be written (TK_EUSAGE) and have no
 * timers for anything else. The rest of the file is not checked.
 */
TK_API int tk_baseline_load_values(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * Reads a capture and adds it as one run; select may be NULL. As tk_query_run; TK_EUNKNOWN without game
 * frames and anything else that runs are compared by, TK_EMATCH where the selection has no frame, TK_EUSAGE
 * if the baseline has the run already.
 */
TK_API int tk_baseline_add(struct tk_baseline *baseline, struct tk_trace *trace,
                           const struct tk_selection *select, struct tk_err *err);

/*
 * Reads which recorded pictures of its capture are nearest to the longest frames of a run (number from 0),
 * for the page of a comparison (report "html"). They are in memory only; most captures have none. select as
 * for tk_baseline_add. As tk_query_run; TK_EUSAGE if there is no such run.
 */
TK_API int tk_baseline_add_pictures(struct tk_baseline *baseline, size_t run, struct tk_trace *trace,
                                    const struct tk_selection *select, struct tk_err *err);

/*
 * Reads where the frames of a run (number from 0) were drawn, so that runs are compared and checked by the
 * cells of a level, and baselines keep it. position: as in struct tk_cells_options; NULL takes what is usual
 * where a capture records it, and else nothing. As tk_query_run; TK_EUSAGE if there is no such run, or
 * position is wrong; TK_EMATCH if nothing is recorded of the position that is named.
 */
TK_API int tk_baseline_add_places(struct tk_baseline *baseline, size_t run, struct tk_trace *trace,
                                  const char *position, struct tk_err *err);

/* Moves all runs of another baseline to the end of this one. TK_OK; TK_EUSAGE (a run that it has already),
 * TK_ENOMEM: runs that were not moved stay in `from`, except that one. */
TK_API int tk_baseline_join(struct tk_baseline *baseline, struct tk_baseline *from, struct tk_err *err);

/*
 * Renames threads and timers of all runs by a file (schemas/map.schema.json), to the names that they have in
 * the runs to compare with. TK_OK; TK_EUSAGE (not such a file, or it gives two timers the same name);
 * TK_EMATCH if no run has one of the names, in which case the others are renamed; TK_EIO, TK_ELIMIT,
 * TK_ENOMEM. After any other failure the baseline can only be freed.
 */
TK_API int tk_baseline_rename(struct tk_baseline *baseline, const char *path, struct tk_err *err);

/* The parts of runs that tk_baseline_restrict keeps. */
struct tk_restriction {
    size_t size;
    const char *const *regions; /* patterns; none: all */
    size_t n_regions;
    bool no_warmup; /* drop the first frames: 64, or an eighth of the run if that is less */
};

/*
 * Restricts all runs of a baseline. TK_OK; TK_EMATCH if a run has no such region (all runs store the
 * warm-up and the regions of up to 24 names); TK_EUNKNOWN if it has no warm-up; TK_EUSAGE, TK_ENOMEM. After a
 * failure the baseline can only be freed.
 */
TK_API int tk_baseline_restrict(struct tk_baseline *baseline, const struct tk_restriction *what,
                                struct tk_err *err);

/* After that: how many region names a run had no space for, which the patterns may therefore have missed; 0
 * if exact names were given. tk_baseline_add with the regions selected leaves none out. */
TK_API size_t tk_baseline_lost_regions(const struct tk_baseline *baseline);

/* Did the recording of a run lose events? As tk_lossy of its capture. */
TK_API bool tk_baseline_lossy(const struct tk_baseline *baseline);

/* Writes the file; the same runs in the same order give the same bytes. TK_OK, TK_EOUTPUT, TK_EPIPE,
 * TK_ELIMIT (more timers and frames than a file can hold), TK_ENOMEM. */
TK_API int tk_baseline_save(const struct tk_baseline *baseline, struct tk_output *out, struct tk_err *err);

/* A fact about a run that its capture may not record. */
struct tk_run_key {
    const char *name, *help;
};

/* The known keys, by number from 0; NULL after the last one. Static. Any other lower-case word can be a key,
 * too. */
TK_API const struct tk_run_key *tk_run_key_at(size_t i);

struct tk_run_info;

/*
 * Reads facts about runs: words "KEY=VALUE", and names of JSON files, each with one object whose values are
 * texts, numbers or booleans. The last value of a key wins. TK_OK; TK_EUSAGE (invalid word, a value of
 * several lines, an invalid time); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_run_info_free.
 */
TK_API int tk_run_info_new(struct tk_run_info **out, const char *const *words, size_t n, struct tk_err *err);

/* The facts of NAME.run.json alongside a capture, which may have endings of compression; NULL where there is
 * no such file. As tk_run_info_new. */
TK_API int tk_run_info_sidecar(struct tk_run_info **out, const char *path, struct tk_err *err);

/* The facts that the name of a file has, by a pattern of keys in braces with other characters between them:
 * "{map}_{build}_{n}". NULL where the name does not match. TK_OK; TK_EUSAGE (not such a pattern), TK_ENOMEM.
 */
TK_API int tk_run_info_of_name(struct tk_run_info **out, const char *pattern, const char *path,
                               struct tk_err *err);

/* The number of facts; the key and the value of one, in order of the keys. Borrowed. */
TK_API size_t tk_run_info_count(const struct tk_run_info *info);
TK_API const struct tk_str *tk_run_info_item(const struct tk_run_info *info, size_t i,
                                             const struct tk_str **value);

/* NULL is allowed. */
TK_API void tk_run_info_free(struct tk_run_info *info);

/* Adds the facts to all runs from number `first` on. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_say(struct tk_baseline *baseline, size_t first, const struct tk_run_info *info,
                           struct tk_err *err);

/* A fact about a run (number from 0) by its key: as it was given, or else as its capture states it; "capture"
 * is its file name, and "size" its bytes. NULL: unknown. Borrowed. */
TK_API const struct tk_str *tk_baseline_about(const struct tk_baseline *baseline, size_t run,
                                              const char *key);

/* Gives a run the name of its capture, the last part of a path. TK_OK or TK_ENOMEM. */
TK_API int tk_baseline_name(struct tk_baseline *baseline, size_t run, const char *path, struct tk_err *err);

/* Moves the runs that this baseline lacks from another one, frees the others, and counts those moved. TK_OK
 * or TK_ENOMEM: runs that were not moved stay in `from`. */
TK_API int tk_baseline_merge(struct tk_baseline *baseline, struct tk_baseline *from, size_t *moved,
                             struct tk_err *err);

/* Removes a run (number from 0) and frees it. */
TK_API void tk_baseline_drop(struct tk_baseline *baseline, size_t run);

/* The tables of baselines, whose first column is the number of the run: `runs`, which describes each run, and
 * frames, timers, durations, gpu, counters, memory, loading, log, metrics. By number; NULL after the last
 * one. Static, times in nanoseconds. */
TK_API const struct tk_table *tk_baseline_table(size_t i);

/*
 * Writes these tables of each run as Parquet to a folder of many runs, as
 * TABLE/run=run-CONTENT/part-0.parquet, where CONTENT is the column of that name of the table `runs`. It
 * replaces the number of the run. A run that exists is replaced. TK_OK, TK_EOUTPUT, TK_ENOMEM.
 */
TK_API int tk_baseline_summarize(const struct tk_baseline *baseline, const char *path, struct tk_err *err);

/*
 * Writes what each run comes to for a database of time series: "openmetrics" or "influx" (the line protocol
 * of InfluxDB). Frame times, hitches, counters and memory tags, with the time of the run where that is known.
 * TK_OK; TK_EUSAGE (no such format, or two names are one in OpenMetrics), TK_EOUTPUT, TK_ENOMEM.
 */
TK_API int tk_baseline_export(struct tk_baseline *baseline, const char *format, struct tk_output *out,
                              struct tk_err *err);

/* Sends one of these tables for all runs. TK_OK, TK_EMATCH (no such table), or what a hook returned. */
TK_API int tk_baseline_rows(const struct tk_baseline *baseline, const char *table, const struct tk_sink *sink,
                            struct tk_err *err);

/*
 * Keeps the runs of a history that `like` can be compared with, and frees the rest: those of a branch or
 * commit (exact name) with the application, platform and machine of the runs of `like`, as far as both sides
 * know them; of these the newest, and those of the same build and commit. TK_OK; TK_EUNKNOWN (none; the cause
 * says what there is); TK_ENOMEM.
 */
TK_API int tk_baseline_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
                               struct tk_err *err);

/*
 * Checks that runs have the expected content: "frames", "gpu", "counters", "memory", "loading", "timers", a
 * minimum length ("60s", "500ms", "2min"), or "channel:NAME", an enabled channel or a preset of channels.
 * `lacks` is called for each run and word that is not met, with what the run has instead. TK_OK; TK_EUSAGE
 * (unknown word).
 */
TK_API int tk_baseline_expect(const struct tk_baseline *baseline, const char *const *words, size_t n,
                              void (*lacks)(void *ctx, size_t run, const char *word, const char *instead),
                              void *ctx, struct tk_err *err);

struct tk_baseline_edit;

/*
 * Begins to change a baseline file: waits until no other process changes it, and reads it if it exists.
 * tk_baseline_edit_runs() returns its runs, which can be changed. tk_baseline_edit_end() replaces the whole
 * file if `keep` is set, and releases the lock. Readers see the old file or the new one. TK_OK; as
 * tk_baseline_load; TK_EOUTPUT (the folder cannot be written).
 */
TK_API int tk_baseline_edit_begin(struct tk_baseline_edit **out, const char *path, struct tk_err *err);
TK_API struct tk_baseline *tk_baseline_edit_runs(struct tk_baseline_edit *edit);
TK_API int tk_baseline_edit_end(struct tk_baseline_edit *edit, bool keep, struct tk_err *err);

/*
 * Writes each run to its own file in a folder, which is created if needed: TIME-CONTENT.tkb, with the time of
 * the run, or `when` (seconds since 1970) if that is unknown. A run that exists, under any time, is not
 * changed; *added counts the new runs. Needs no lock: two processes that write the same run use the same
 * name. TK_OK, TK_EIO, TK_EOUTPUT, TK_ELIMIT, TK_ENOMEM.
 */
TK_API int tk_baseline_keep(const struct tk_baseline *baseline, const char *folder, int64_t when,
                            size_t *added, struct tk_err *err);

/*
 * Reads a CODEOWNERS file, whose patterns of source files match as they do there, and with timer: or thread:
 * in front names of timers and of classes of threads. Paths of captures are absolute: anchored patterns match
 * at any folder, or from `root` on, which may be NULL. TK_OK; TK_EUSAGE with the line; TK_EIO, TK_ELIMIT,
 * TK_ENOMEM. Free with tk_owners_free, which takes NULL.
 */
TK_API int tk_owners_load(struct tk_owners **out, const char *path, const char *root, struct tk_err *err);
TK_API void tk_owners_free(struct tk_owners *owners);

struct tk_compare_options {
    size_t size;
    double floor_ratio; /* ignore changes below; 0: 0.02, or 0.05 for two single runs without noise */
    double floor_ms;    /* ignore changes of fewer ms per frame; 0: no such floor */
    double chance;      /* of a false alarm per kind of series; 0: 0.006, or 0.003 if one side is a single run
                           (0.006 for two single runs without noise) */
    uint64_t warmup;    /* frames skipped at the start of each run, rounded up to whole blocks */
    const struct tk_baseline *noise; /* at least four runs of one build, to measure the spread; may be NULL */
    bool mixed; /* runs of several applications or platforms may be compared; else TK_EMATCH names them */
    bool ignore_common; /* a shift of 5 % or more shared by all timers is not a regression */
    double floor_frame; /* ignore changes below this share of the median frame; 0: 0.001 */
    bool allow_short;   /* compare candidates that are much shorter than the baseline or crashed */
    double target;      /* frames a second that are wanted, for missed and late frames; 0: none */
    double cell;        /* also compare frames by cells of a level with sides this long; 0: no */
    bool cell_z;        /* cells are cubes */
};

/*
 * Compares the runs of two baselines, which are not used afterwards; opt may be NULL. TK_OK;
 * TK_EUNKNOWN (nothing to compare); TK_EMATCH (runs of several programs); TK_EUSAGE (too little noise);
 * TK_ENOMEM.
 */
TK_API int tk_compare(struct tk_comparison **out, const struct tk_baseline *baseline,
                      const struct tk_baseline *candidate, const struct tk_compare_options *opt,
                      struct tk_err *err);

/*
 * Excludes accepted regressions from the verdict, by a file (schemas/accepted.schema.json). They are still
 * reported. `now` is in seconds since 1970; entries whose end date is before it no longer apply. TK_OK;
 * TK_EUSAGE (not such a file); TK_EIO, TK_ELIMIT, TK_ENOMEM.
 */
TK_API int tk_comparison_accept(struct tk_comparison *comparison, const char *path, int64_t now,
                                struct tk_err *err);

/* How many regressions were excluded from the verdict. */
TK_API size_t tk_comparison_accepted(const struct tk_comparison *comparison);

/* Is there a regression, or a run that cannot be compared; is there anything that could not be decided? */
TK_API bool tk_comparison_regressed(const struct tk_comparison *comparison);
TK_API bool tk_comparison_inconclusive(const struct tk_comparison *comparison);

/* How it ended (errors.h). NULL without a comparison. Static. */
TK_API const struct tk_outcome *tk_comparison_outcome(const struct tk_comparison *comparison);

/* Are the runs of the candidate complete? Not if one has less than 90 % of the frames and of the time of the
 * baseline's median run, or ended in a recorded crash or fatal error. Always true if `allow_short` was
 * given. */
TK_API bool tk_comparison_comparable(const struct tk_comparison *comparison);

/*
 * Sends the table `changes`: one row per compared value, by kind, verdict and size of the change.
 * Columns: kind, name, thread, verdict, unit, baseline, candidate, ratio, low, high, p, renamed_to,
 * because_of, metric, path, raw_ratio. TK_OK or what a hook returned.
 */
TK_API int tk_comparison_rows(const struct tk_comparison *comparison, const struct tk_sink *sink,
                              struct tk_err *err);

/* The same with the rows in *out; free with tk_result_free. */
TK_API int tk_comparison_result(struct tk_result **out, const struct tk_comparison *comparison,
                                struct tk_err *err);

/* "text", "markdown", "json", "csv", "junit", "github", "sarif", "folded", "flamegraph", "html";
 * NULL-terminated, static.
 */
TK_API const char *const *tk_comparison_reports(void);

struct tk_report_options {
    size_t size;
    bool colour;       /* `text` */
    size_t top;        /* `text`, `markdown`: changes listed per verdict; 0: the default number */
    unsigned width;    /* `text` of comparisons: columns of the terminal; 0: do not wrap */
    bool plain_ascii;  /* `text` of comparisons: no characters outside ASCII except in names */
    bool guard;        /* `csv`: keep spreadsheets from treating texts as formulas */
    bool plot;         /* `text` of trends: draw values as a plot of several lines */
    const char *front; /* `html` of trends: n_front bytes of a section (tk_night_text) behind the head; NULL:
                          none */
    size_t n_front;
};

/* Reports say who owns what changed. TK_OK or TK_ENOMEM. */
TK_API int tk_comparison_own(struct tk_comparison *comparison, const struct tk_owners *owners,
                             struct tk_err *err);

/* Writes a report; opt may be NULL. TK_OK, TK_EMATCH (unknown kind), TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_comparison_report(const struct tk_comparison *comparison, const char *kind,
                                struct tk_output *out, const struct tk_report_options *opt,
                                struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_comparison_free(struct tk_comparison *comparison);

/*
 * Sends the differences between two captures row by row: `name` is one of tk_difference_tables(). The query
 * selects a part of both and how memory is grouped; its tables and columns are ignored. As tk_query_run;
 * TK_EMATCH: no such table, or a capture lacks the data for it. On failure *side is the capture concerned: 0
 * the base, 1 the candidate.
 *
 *     memory_difference    memory_growth of both side by side
 *     sample_difference    shares of samples by function, with the p-value of the difference
 */
TK_API int tk_difference_run(struct tk_trace *base, struct tk_trace *candidate, const char *name,
                             const struct tk_query *query, const struct tk_sink *sink, unsigned *side,
                             struct tk_err *err);

/* Their names, NULL-terminated. Static. */
TK_API const char *const *tk_difference_tables(void);

/* ---- 13 budgets ----
 *
 *     rc = tk_budgets_load(&budgets, "budget.json", &err);
 *     if (rc == TK_OK)
 *         rc = tk_budgets_apply(budgets, runs, NULL, &err);   runs: a baseline
 *     if (rc == TK_OK && tk_budgets_exceeded(budgets))
 *         rc = tk_budgets_report(budgets, "text", out, NULL, &err);
 *     tk_budgets_free(budgets);
 */

struct tk_budgets;

/* Reads budgets (schemas/budget.schema.json) from a file. TK_OK; TK_EUSAGE (not JSON, unknown keys, wrong
 * types); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_budgets_free. */
TK_API int tk_budgets_load(struct tk_budgets **out, const char *path, struct tk_err *err);

/* For captures added to the baseline from now on, the values of the budgets are known frame by frame: their
 * worst place is then a frame, and otherwise a block of frames. The budgets must stay valid while captures
 * are added. Baseline files do not store these values. */
TK_API void tk_baseline_watch(struct tk_baseline *baseline, const struct tk_budgets *budgets);

struct tk_budget_options {
    size_t size;
    bool mixed; /* runs of several applications or platforms may be checked; else TK_EMATCH names them */
    bool allow_short;                   /* check runs that ended in a crash, too */
    const struct tk_baseline *baseline; /* runs of before: without added cost, and with the old names of
                                           timers that were renamed. Borrowed; may be NULL */
};

/* Checks each run of a baseline; opt may be NULL. A budget that names something no run has gets the verdict
 * `missing`. TK_OK; TK_EMATCH if there is no run, or runs are of several programs; TK_ELIMIT as
 * tk_baseline_save; TK_ENOMEM. */
TK_API int tk_budgets_apply(struct tk_budgets *budgets, const struct tk_baseline *runs,
                            const struct tk_budget_options *opt, struct tk_err *err);

/* After tk_budgets_apply: did no run end in a recorded crash or fatal error? Always true if
 * `allow_short` was given. */
TK_API bool tk_budgets_comparable(const struct tk_budgets *budgets);

/* After tk_budgets_apply: was an error level exceeded? */
TK_API bool tk_budgets_exceeded(const struct tk_budgets *budgets);

/* After tk_budgets_apply: how the check ended (errors.h). NULL without one. Static. */
TK_API const struct tk_outcome *tk_budgets_outcome(const struct tk_budgets *budgets);

/* After tk_budgets_apply: how many budgets name something that no run has; and the reason for one of them
 * (from 0): "there is no timer 'X'; the nearest: 'Y'". Borrowed. */
TK_API size_t tk_budgets_missing(const struct tk_budgets *budgets);
TK_API const char *tk_budgets_missing_why(const struct tk_budgets *budgets, size_t i);

/* After tk_budgets_apply: as tk_baseline_lost_regions, for budgets whose region is a pattern. */
TK_API size_t tk_budgets_lost_regions(const struct tk_budgets *budgets);

/* After tk_budgets_apply: reports say who owns what is over its budget. TK_OK or TK_ENOMEM. */
TK_API int tk_budgets_own(struct tk_budgets *budgets, const struct tk_owners *owners, struct tk_err *err);

/* "text", "markdown", "json", "csv", "junit", "github", "sarif", "html"; NULL-terminated, static. */
TK_API const char *const *tk_budgets_reports(void);

/* Writes a report. As tk_comparison_report. */
TK_API int tk_budgets_report(const struct tk_budgets *budgets, const char *kind, struct tk_output *out,
                             const struct tk_report_options *opt, struct tk_err *err);

/* Writes budgets that the runs just meet; margin 0.1: the error level is ten percent higher. What runs of one
 * build differ by is not known of a single run: its limits are 12 % higher besides. TK_OK; TK_EMATCH without
 * a run; TK_EOUTPUT, TK_EPIPE, TK_ENOMEM. */
TK_API int tk_budgets_write(const struct tk_baseline *runs, double margin, struct tk_output *out,
                            struct tk_err *err);

/* NULL is allowed. */
TK_API void tk_budgets_free(struct tk_budgets *budgets);

#ifdef __cplusplus
}
#endif

#endif
