/*
 * Run: answers a query by driving sources, the scope model and builders.
 */
#ifndef TK_ENGINE_RUN_H
#define TK_ENGINE_RUN_H

#include "fact/format.h"
#include "query/builder.h"
#include "tracekit/queries.h"

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

/*
 * Frames of another kind: the occurrences of a scope, a region or a mark in the place of the game frames that
 * a capture has or lacks.
 */

/*
 * Reads the capture for what the pattern names, and makes it one whose game frames they are. Scopes come
 * first, of the thread that has the most, outermost ones; else regions; else bookmarks and messages, where a
 * frame lasts until the next. *capture is replaced by one that owns it; after a failure it is as it was.
 * TK_OK; TK_EMATCH: nothing has such a name; or as tk_run.
 */
int tk_frames_from(struct tk_context *ctx, struct tk_capture **capture, const char *pattern,
                   struct tk_err *err);

/* The capture as its format has it: what frames of another kind were added to, or the same one. Borrowed. */
struct tk_capture *tk_frames_from_recorded(struct tk_capture *capture);

#endif
