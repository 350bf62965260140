/*
 * Metrics of the user: what a capture is opened with so that its table `metrics` and its runs have their
 * values. They are defined and measured in metric/, which is a wing.
 */
#ifndef TK_QUERY_METRICS_H
#define TK_QUERY_METRICS_H

#include "base/err.h"
#include "judge/metric_words.h"
#include "tracekit/captures.h"
#include "tracekit/queries.h"

struct tk_limits;

/* What others than those who measure it know of a metric. Texts are UTF-8 with a NUL. */
struct tk_metric {
    const char *name, *unit;
    uint8_t better, source;
    double floor;       /* in its unit: changes below it do not count */
    double floor_ratio; /* the same, as a part of the value before */
    uint64_t hash;      /* of its definition, without floors and help */
};

/* The capture that is measured. */
struct tk_metric_capture {
    const char *path;
    const struct tk_options *open;
    const struct tk_limits *limits;
    const struct tk_selection *select;
};

struct tk_metrics {
    const struct tk_metric **v; /* n of them, owned by who made it */
    size_t n;
    /* The value of each, NaN where the capture gives none. TK_OK; TK_EUSAGE: a metric that no capture gives a
     * number of, by its fault; or what reading the capture returns. */
    int (*measure)(const struct tk_metrics *metrics, const struct tk_metric_capture *of, double *values,
                   struct tk_err *err);
};

#endif
