/*
 * Runs for databases of time series: OpenMetrics and the line protocol of InfluxDB.
 */
#ifndef TK_COMPARE_REPORT_TIME_SERIES_H
#define TK_COMPARE_REPORT_TIME_SERIES_H

#include "compare/baseline/baseline.h"
#include "compare/report/report_print.h"

/* A value of a run: what it is, in seconds, bytes or no unit, and the number. */
struct tk_run_sample {
    const char *family; /* as in OpenMetrics, without "tracekit_"; the same pointer for the same family of all
                           runs or a text of the samples */
    const struct tk_str
        *name;        /* as it is called in the capture: a counter, a memory tag; NULL: a figure of frames */
    const char *unit; /* "seconds", "bytes" or "" */
    const char *help;
    bool whole; /* an integer */
    double value;
};

struct tk_run_samples {
    TK_VEC(struct tk_run_sample) v;
    struct tk_arena texts;
};

/* The samples of a run; judges its frames. To be released also after a failure. TK_OK, TK_ENOMEM. */
int tk_run_samples_of(struct tk_run_samples *out, struct tk_base_run *run, struct tk_err *err);
void tk_run_samples_release(struct tk_run_samples *s);

/* All runs as text. TK_OK; TK_EUSAGE: two names of counters or tags are one there; TK_ENOMEM. */
int tk_runs_openmetrics(struct tk_print *p, const struct tk_baseline *b, struct tk_err *err);
int tk_runs_influx(struct tk_print *p, const struct tk_baseline *b, struct tk_err *err);

#endif
