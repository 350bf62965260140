/*
 * A chapter of tracekit.h: metrics of the user.
 */
#ifndef TRACEKIT_METRICS_H
#define TRACEKIT_METRICS_H

#include "errors.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 23 metrics ----
 *
 * Figures that a user defines, in files (schemas/metrics.schema.json). A capture that is opened with them has
 * them in its table `metrics`, and a run that is made of it (tk_baseline_add) keeps them, so that they are
 * compared and followed like all others.
 *
 *     rc = tk_metrics_new(&metrics, paths, n, &err);
 *     options.metrics = metrics;
 *     if (rc == TK_OK)
 *         rc = tk_open(&trace, "game.utrace", &options, &err);
 *     ...
 *     tk_close(trace);
 *     tk_metrics_free(metrics);
 */

struct tk_metrics;

/* Reads n files, whose metrics have different names. TK_OK; TK_EUSAGE (the causes have the file, the metric
 * and the key); TK_EIO, TK_ELIMIT, TK_ENOMEM. Free with tk_metrics_free. */
TK_API int tk_metrics_new(struct tk_metrics **out, const char *const *paths, size_t n, struct tk_err *err);

/* The number of metrics, and the name of one, from 0; NULL after the last one. Borrowed. */
TK_API size_t tk_metrics_count(const struct tk_metrics *metrics);
TK_API const char *tk_metrics_name(const struct tk_metrics *metrics, size_t i);

/* NULL is allowed. */
TK_API void tk_metrics_free(struct tk_metrics *metrics);

#ifdef __cplusplus
}
#endif

#endif
