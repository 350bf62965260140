/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_METRIC_METRIC_IN_H
#define TK_METRIC_METRIC_IN_H

#include "base/arena.h"
#include "base/health/limits.h"
#include "base/vec.h"
#include "query/metrics.h"
#include "tracekit/metrics.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

enum { TK_METRICS_MOST = 256 };

/* What is made of the values that a source finds. */
enum tk_metric_agg {
    TK_AGG_NONE, /* of SQL, which says it itself */
    TK_AGG_MEAN,
    TK_AGG_TIME_MEAN,
    TK_AGG_MIN,
    TK_AGG_MAX,
    TK_AGG_FIRST,
    TK_AGG_LAST,
    TK_AGG_P50,
    TK_AGG_P95,
    TK_AGG_P99,
    TK_AGG_COUNT,
    TK_AGG_SUM,
    TK_AGG_FRAME_MEAN,
    TK_AGG_FRAME_P95,
    TK_AGGS
};

/* What a unit measures. */
enum tk_unit_kind { TK_UNIT_OF_TIME, TK_UNIT_OF_BYTES, TK_UNIT_PER_MINUTE, TK_UNIT_PER_FRAME, TK_UNIT_OTHER };

/* A metric as its file has it. Texts lie in the arena of its set; NULL where there is none. */
struct tk_metric_definition {
    struct tk_metric metric;
    const char *file;    /* which it is of, */
    size_t line;         /* and where its statement is, from 1 */
    const char *pattern; /* the statement, or what counters, timers, regions and events are called */
    const char *thread, *field, *category, *verbosity, *text, *platform;
    uint8_t agg;
};

/* The metrics of some files; the first member is what the core knows of them. */
struct tk_metric_set {
    struct tk_metrics list;
    TK_VEC(struct tk_metric_definition *) all;
    struct tk_arena texts;
};

/* parse.c: what a unit measures, and how many ns or bytes one of it is; 1 for all others. */
enum tk_unit_kind tk_metric_unit(const char *unit, double *factor);

/* parse.c: adds the metrics of a file. TK_OK, TK_EUSAGE, TK_ENOMEM. */
int tk_metrics_parse(struct tk_metric_set *set, const char *file, const char *text, size_t n,
                     struct tk_err *err);

/* Is there such a word for the source? -1: no. And all there are, with commas. */
int tk_metric_agg_of(const char *name, unsigned source);
void tk_metric_aggs_of(unsigned source, char *text, size_t n);

/* statement.c: what a metric is as SQL. */
struct tk_metric_statement {
    char *v; /* owned: a text */
    size_t n, cap;
    bool full; /* out of memory */
};

/* The statement of a metric. The column `v` of its row is the value, before what per_minute and per_frame
 * divide by; several rows are several counters or timers. TK_OK or TK_ENOMEM. */
int tk_metric_statement_make(struct tk_metric_statement *s, const struct tk_metric_definition *d,
                             struct tk_err *err);

/* A statement that gives the number 1 where the capture is of its platform. The same. */
int tk_metric_platform_make(struct tk_metric_statement *s, const struct tk_metric_definition *d,
                            struct tk_err *err);
void tk_metric_statement_release(struct tk_metric_statement *s);

/* Whether the capture would have what the source is about: a number above 0 says so. NULL: it does not
 * matter. */
const char *tk_metric_recorded(const struct tk_metric_definition *d);

/* measure.c: as the function of struct tk_metrics. */
int tk_metrics_measure(const struct tk_metrics *metrics, const struct tk_metric_capture *of, double *values,
                       struct tk_err *err);

/* Do all statements of SQL compile, and have one column of numbers? TK_OK, TK_EUSAGE, TK_ENOMEM. */
int tk_metrics_check(const struct tk_metric_set *set, struct tk_err *err);

#endif
