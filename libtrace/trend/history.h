/*
 * History: runs of a program in order, and of each run one value a series: the matrix in which trends are
 * looked for. Filled by history_csv.c from numbers and by history.c from baselines, read by
 * compare/trend.
 *
 * A night is the runs of one build. Runs of a night are neighbours.
 */
#ifndef TK_TREND_HISTORY_H
#define TK_TREND_HISTORY_H

#include "base/err.h"
#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "compare/baseline/baseline.h"

enum tk_history_kind {
    TK_HISTORY_FRAME, /* frame times: percentiles */
    TK_HISTORY_HITCHES,
    TK_HISTORY_TIMER,
    TK_HISTORY_GPU,
    TK_HISTORY_MEMORY,
    TK_HISTORY_LOADING,
    TK_HISTORY_COUNTER,
    TK_HISTORY_METRIC, /* of the user */
    TK_HISTORY_CAUSE,  /* hitches of play of one cause, a minute */
    TK_HISTORY_KINDS
};

/* Which way a series gets worse. */
enum tk_history_worse { TK_HISTORY_UP, TK_HISTORY_DOWN, TK_HISTORY_NEITHER };

struct tk_history_run {
    const struct tk_str *name;                   /* what the run is called: its number, or a path */
    const struct tk_str *time, *build, *machine; /* empty where not known */
    uint32_t night;
    uint64_t frames;
    uint64_t hash; /* of the capture, of runs of baselines; 0: numbers */
    bool causes;   /* it is known what its hitches were due to: a cause that it does not have is 0 */
};

struct tk_history_series {
    const struct tk_str *id;                           /* unique in the history, its order */
    const struct tk_str *name, *group, *parent, *unit; /* group: class of threads; may be empty */
    uint8_t kind, worse;                               /* enum tk_history_kind, tk_history_worse */
    TK_VEC(double) values;                             /* one a run; NAN: not in that run */
};

/* What is written down of runs alongside that, such as the driver: one text a run. */
struct tk_history_note {
    const struct tk_str *name;
    TK_VEC(const struct tk_str *) values; /* one a run */
};

struct tk_history {
    struct tk_intern names;
    TK_VEC(struct tk_history_run) runs;
    TK_VEC(struct tk_history_series) series; /* by id, once settled */
    TK_VEC(struct tk_history_note) notes;
    TK_VEC(const struct tk_str *) remarks; /* what a reader of a report has to know of the history */
    struct tk_map by_id;                   /* while runs are added: hash of an id -> index in series */
    size_t faulty;                         /* runs whose readings warned of something */
    size_t whole;                          /* runs without frames, whose times are those of the whole run */
    size_t reported_occurrences;           /* runs whose occurrences were reported, */
    uint64_t occurrences;                  /* and how many the last of them has */
    double target;                         /* frames a second, for missed and late frames; 0: none */
    uint32_t nights;                       /* of the last run + 1 */
    bool labelled;                         /* names of runs are free texts, not those of files */
};

void tk_history_release(struct tk_history *h);

/* "frame" and so on. */
const char *tk_history_kind_name(enum tk_history_kind kind);

/* The kind of a name; -1: there is none. */
int tk_history_kind_of(const struct tk_str *name);

/* Puts the series in the order of their ids. TK_OK; TK_EFORMAT where two have the same one; TK_ENOMEM. */
int tk_history_settle(struct tk_history *h, struct tk_err *err);

/* Adds a sentence. 0, or -1 if out of memory. */
int tk_history_remark(struct tk_history *h, const char *fmt, ...) TK_PRINTF(2, 3);

/* The first run of a night; NULL: the night has none. */
const struct tk_history_run *tk_history_run_of(const struct tk_history *h, uint32_t night);

/*
 * Histories as numbers: runs.csv, series.csv and values.csv, as other programs write them.
 */

/* The text of a file; it is changed while it is read. */
struct tk_history_text {
    char *p;
    size_t n;
};

/*
 * Fills an empty history. TK_OK; TK_EFORMAT with file and line; TK_ENOMEM.
 *
 * runs:   run (unique); night, time, build, machine, frames; all other columns are notes. Without nights,
 * runs of one build in a row are one, and without builds each run is. series: series (unique); kind, name,
 * class, parent, unit, worse. values: run, and a column for each series; an empty field is no value.
 */
int tk_history_csv(struct tk_history *h, struct tk_history_text runs, struct tk_history_text series,
                   struct tk_history_text values, struct tk_err *err);

/*
 * Histories of the runs of baselines: each run becomes one value a series.
 */

/* Adds the runs of a baseline, but for those that are there, which are reported. `name` is what they are
 * called, with a number behind it where there are several. 0, or -1 if out of memory. */
int tk_history_take(struct tk_history *h, const struct tk_baseline *b, const char *name);

/* Adds to a run how many hitches of play a minute were due to a timer of a class of threads. 0, or -1 if out
 * of memory. */
int tk_history_put_cause(struct tk_history *h, size_t run, const struct tk_str *timer,
                         const struct tk_str *thread, double rate);

/*
 * What a run comes to, for its frames and each of its series:
 *
 *     frames    percentiles 50, 90 and 99, in ms; hitches a minute, hitch_ratio, uneven, low1, and with
 *               a target missed and late (judge/smoothness.h)
 *     timers    own time, in ms a frame; the parent is what calls it most, where that is known
 *     gpu       the same
 *     loading   ms of the run
 *     memory    greatest bytes
 *     counters  mean of the values
 *     causes    hitches of play a minute by what they were due to, from three nights on
 *
 * Values of series with the same kind, group and name are added up. Errors of the log are left out.
 */

/* order.c: orders the runs by time, by name, or not at all; then numbers the nights: runs of one build in a
 * row are one, unless all are of one, and so are runs of one time and build. `order` is an enum
 * tk_history_order. TK_OK; TK_EMATCH where the times do not say which run is first; TK_ENOMEM. */
int tk_history_arrange(struct tk_history *h, int order, struct tk_err *err);

#endif
