/*
 * Run: answers a query by driving sources, the scope model and builders.
 */
#ifndef TK_ENGINE_RUN_H
#define TK_ENGINE_RUN_H

#include "query/builder.h"

/*
 * Runs the builders over the capture and sends their tables to the sink in the order given. Readings: one for
 * the selection where it names frames or regions or a builder needs frames, one for the facts. As
 * tk_query_run.
 */
int tk_run(struct tk_context *ctx, struct tk_capture *capture, const struct tk_builder *const *builders,
           size_t n_builders, const struct tk_query *query, const struct tk_sink *sink, struct tk_err *err);

/* Does the caller of a struct tk_context want to stop? For outputs that are written when all has been read
 * (tk_output_stop). */
int tk_run_stopped(void *context);

#endif
