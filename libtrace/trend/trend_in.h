/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_TREND_TREND_IN_H
#define TK_TREND_TREND_IN_H

#include "base/err.h"
#include "base/vec.h"
#include "trend/curve.h"
#include "trend/trend.h"

#include <stdint.h>

/*
 * What all series of a class share from run to run, which is the machine or the whole build.
 */

/* Least ways to tell that nights of the common factor hang together. */
struct tk_trend_common {
    double *g;                   /* by run of the history, only those of the rows; logarithms */
    bool known;                  /* false: there are too few series */
    double *level;               /* by night */
    struct tk_trend_curve curve; /* g by night, without what machines add */
    struct tk_trend_step *steps; /* n changes of the level, with their places */
    size_t n;
    double *share; /* of each change: how many of the series follow it, 0 .. 1 */
};

/* Values of the series of a class that have a vote. */
struct tk_trend_votes {
    const double *const *x; /* n, by run; NAN: none */
    size_t n;
    const uint32_t *rows;
    size_t n_rows;
};

/* Finds g of the runs in `rows` with the least spread that n series have around it. `floor`: smallest change
 * that is reported. 0, or -1 if out of memory. */
int tk_trend_common_factor(struct tk_trend_common *c, const struct tk_trend_votes *votes, double floor,
                           struct tk_trend_space *space, struct tk_arena *arena);

/* Changes of its level: `curve` is g by night. */
int tk_trend_common_changes(struct tk_trend_common *c, double alpha, double floor,
                            struct tk_trend_space *space, struct tk_arena *arena);

/* How much of the swings of g a series takes, by its runs in `rows`: 0 .. 2. */
double tk_trend_loading(const double *v, const double *g, const uint32_t *rows, size_t n,
                        struct tk_trend_space *space);

/*
 * Reads CSV (RFC 4180: quotes, line ends of any kind) from memory, row by row. history_csv.c reads histories
 * with it.
 */

/* A field: bytes of the text, or of `space` where quotes were doubled. */
struct tk_csv_field {
    const char *p;
    size_t n;
};

struct tk_csv {
    const char *name;                /* of the file, for errors */
    char *p, *end;                   /* what is left; quoted fields are unquoted in place */
    uint64_t line;                   /* of the row that was read last, from 1 */
    uint64_t next;                   /* line that is read next */
    TK_VEC(struct tk_csv_field) row; /* owned */
};

/* Begins with the first row; skips the mark of UTF-8. The text is borrowed, and changed. */
void tk_csv_begin(struct tk_csv *csv, const char *name, char *text, size_t n);
void tk_csv_release(struct tk_csv *csv);

/* The next row that is not empty. 1; 0 at the end; TK_EFORMAT (a quote that is not closed, or something
 * behind one that is); TK_ENOMEM. */
int tk_csv_next(struct tk_csv *csv, struct tk_err *err);

/* A decimal number without anything else, whatever the locale; false: it is none. */
bool tk_csv_real(const struct tk_csv_field *f, double *out);

/* A whole number below 2^63. */
bool tk_csv_uint(const struct tk_csv_field *f, uint64_t *out);

/*
 * Drifts: changes that take weeks, which segments show as stairs.
 */

/* A level up to night `from`, a line to another level at night `to`, which holds from there on. */
struct tk_trend_drift {
    uint32_t from, to;
    double before, after;
};

/*
 * Compares stairs in one direction, and lone levels, with a ramp. `nights`: n changes, ascending; those with
 * fixed[i] are never part of stairs. Keeps the others that no ramp replaces: returns how many are left in
 * `nights`, and *n_drifts of them in `drifts` (space for n + 1). floor: of half the size of a drift.
 */
size_t tk_trend_drifts(const struct tk_trend_curve *c, uint32_t *nights, const uint8_t *fixed, size_t n,
                       const struct tk_trend_test *test, struct tk_trend_space *space,
                       struct tk_trend_drift *drifts, size_t *n_drifts);

/*
 * Machines: which runs can be compared with each other, and what a machine of a pool adds to a series.
 */

struct tk_trend_machines {
    uint32_t *of_run;                    /* number of the machine of each run, in the order of names */
    uint32_t n;                          /* machines */
    uint8_t *skipped;                    /* by night: left out, as its machine has too few */
    TK_VEC(struct tk_trend_span) epochs; /* owned; nights between changes of machine */
    double *offsets, *guess;             /* by machine, of the series at hand */
};

/* Numbers the machines, and cuts the history where they change for good. 0, or -1 if out of memory. The
 * arrays are the arena's, but for the epochs. */
int tk_trend_machines(struct tk_trend_machines *m, const struct tk_history *h, struct tk_arena *arena);

/*
 * Offsets of machines of a pool to m->offsets, against the one with most runs: from the local level of all.
 * x: values by run (NAN: none); rows: runs to look at, ascending. All 0 where there is one machine.
 */
void tk_trend_offsets(struct tk_trend_machines *m, const double *x, const uint32_t *rows, size_t n,
                      struct tk_trend_space *space);

/*
 * An epoch: nights on machines of one pool, in which all series are analysed together. flatten.c makes its
 * curves, families.c those of parents, changes.c finds their changes, newest.c looks at the last nights,
 * events.c and shared_events.c turn the findings into events.
 */

/* A change of one curve. */
struct tk_trend_change {
    uint32_t curve; /* index */
    struct tk_trend_step step;
    uint32_t at; /* where it is reported, after events were found */
};

struct tk_trend_epoch {
    const struct tk_history *h;
    const struct tk_trend_setup *setup;
    struct tk_trend_machines *machines;
    double *const *x; /* logarithms of each series, by run; NAN: none */
    struct tk_trend_span span;
    uint32_t *rows; /* runs of the epoch, without those left out */
    size_t n_rows;
    struct tk_trend_common common[TK_TREND_CLASSES];
    struct tk_trend_curve *curves; /* those that are tested: of series in their order, then of parents */
    size_t n_curves, n_series;     /* n_series of these are series */
    double nu, limit, quantile2;   /* of the tests of all of them */
    TK_VEC(struct tk_trend_change) changes; /* owned; curve by curve, ascending */
    uint32_t *last;                         /* by curve: night of the newest change, or begin of the epoch */
    double *unseen; /* by series: the smallest step three nights ago that would be named, as a share; NAN */
    struct tk_trend *out;
    struct tk_trend_space space;
    struct tk_arena arena;
};

/* Class of a kind of series. */
enum tk_trend_class tk_trend_class_of(enum tk_history_kind kind);

/* Each returns 0, or -1 if out of memory. */
int tk_trend_flatten(struct tk_trend_epoch *e);
int tk_trend_families(struct tk_trend_epoch *e);
int tk_trend_put_common(struct tk_trend_epoch *e);
int tk_trend_changes(struct tk_trend_epoch *e);
int tk_trend_newest(struct tk_trend_epoch *e);
int tk_trend_tell(struct tk_trend_epoch *e);

/* Adds an event to the trend. */
int tk_trend_put(struct tk_trend_epoch *e, const struct tk_trend_event *event);

/* An event of a curve without what is in a step. */
struct tk_trend_event tk_trend_event_of(const struct tk_trend_epoch *e, size_t curve);

/* Runs all of these over an epoch of TK_TREND_LEAST nights or more. */
int tk_trend_epoch(struct tk_trend_epoch *e);

/*
 * Judges the places at which a curve may change against their neighbours, and leaves those that hold.
 */

/* Statistics of n places (ascending nights) to `out`, in the same order. */
void tk_trend_judge(const struct tk_trend_curve *c, const uint32_t *nights, size_t n,
                    const struct tk_trend_test *test, struct tk_trend_space *space,
                    struct tk_trend_step *out);

/* Drops the weakest place until each has a p below the limit, a size from the floor on and its nights in
 * order. Returns how many of the n are left in `nights`; their statistics are in `out`. */
size_t tk_trend_prune(const struct tk_trend_curve *c, uint32_t *nights, size_t n,
                      const struct tk_trend_test *test, struct tk_trend_space *space,
                      struct tk_trend_step *out);

/* Finds out to which nights each of n judged places can be moved. */
void tk_trend_place(const struct tk_trend_curve *c, struct tk_trend_step *steps, size_t n,
                    const struct tk_trend_test *test);

/* How much longer the error of a mean is as nights hang together: 5 times the variance of means of blocks of
 * 5 nights over that of single nights, of what n changes leave. */
struct tk_trend_dependence {
    double ratio;
    size_t blocks; /* 0: too few nights to tell */
    double width;  /* of what is left, in sd */
};
struct tk_trend_dependence tk_trend_depends(const struct tk_trend_curve *c, const uint32_t *nights, size_t n,
                                            struct tk_trend_space *space);

/*
 * Values as logarithms, which makes sizes ratios.
 */

/* Logarithms of the values of a series to `to`, by run; NAN: none. To those of series with zeros something is
 * added before. `space`: as many as there are runs. */
void tk_trend_logs(const struct tk_history_series *s, size_t runs, double *to, double *space);

/*
 * The least bounded loss: where the level of a curve changes.
 */

/* Nights at which the level changes, ascending, to space->steps (one less than there are values at most).
 * Least sum of min(((z - level) / sd)^2, bound) + beta a change, over a grid of levels; exact. Returns how
 * many; 0 for fewer than 8 nights. */
size_t tk_trend_segment(const struct tk_trend_curve *c, double beta, struct tk_trend_space *space);

/*
 * Verdicts on events and series alongside their changes: levels, states, alarms.
 */

/* Levels of all series at the end of the newest epoch, which may be too short to have been analysed. 0, or -1
 * if out of memory. */
int tk_trend_levels(struct tk_trend *t, const struct tk_trend_epoch *newest);

/* trend.c: alarms of events that alarm in a trend of one night less are known, and then none of their own
 * unless that is wanted. */
void tk_trend_mark_known(struct tk_trend *t, const struct tk_trend *before);

/* trend.c: the answer of the whole history. TK_OK; TK_EMATCH (no series is to be known as the setup has
 * it); TK_ENOMEM. */
int tk_trend_find_answer(struct tk_trend *t, struct tk_err *err);

/* Values around each event of one series, what became of it, and which events alarm; t->events are in order.
 * 0, or -1 if out of memory. */
int tk_trend_judge_events(struct tk_trend *t);

#endif
