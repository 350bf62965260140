/*
 * An epoch: nights on machines of one pool, in which all series are analysed together. flatten.c makes its
 * curves, families.c those of parents, changes.c finds their changes, newest.c looks at the last nights,
 * events.c and shared_events.c turn the findings into events.
 */
#ifndef TK_COMPARE_TREND_EPOCH_H
#define TK_COMPARE_TREND_EPOCH_H

#include "trend/common.h"
#include "trend/machines.h"
#include "trend/trend.h"

/* A change of one curve. */
struct tk_trend_change {
    uint32_t curve; /* index */
    struct tk_trend_step step;
    uint32_t at; /* where it is told, after events were found */
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
    struct tk_trend *out;
    struct tk_trend_room room;
    struct tk_arena arena;
};

/* Class of a kind of series. */
enum tk_trend_class tk_trend_class_of(enum tk_history_kind kind);

/* Each returns 0, or -1 if out of memory. */
int tk_trend_flatten(struct tk_trend_epoch *e);
int tk_trend_families(struct tk_trend_epoch *e);
int tk_trend_put_common(struct tk_trend_epoch *e);
int tk_trend_changes(struct tk_trend_epoch *e);
int tk_trend_newest(struct tk_trend_epoch *e, size_t curve);
int tk_trend_tell(struct tk_trend_epoch *e);

/* Adds an event to the trend. */
int tk_trend_put(struct tk_trend_epoch *e, const struct tk_trend_event *event);

/* An event of a curve without what is in a step. */
struct tk_trend_event tk_trend_event_of(const struct tk_trend_epoch *e, size_t curve);

/* Runs all of these over an epoch of 8 nights or more. */
int tk_trend_epoch(struct tk_trend_epoch *e);

#endif
