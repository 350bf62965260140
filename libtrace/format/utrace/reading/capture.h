/*
 * An open .utrace: how it is opened, and its readings.
 */
#ifndef TK_FORMAT_UTRACE_READING_CAPTURE_H
#define TK_FORMAT_UTRACE_READING_CAPTURE_H

#include "format/utrace/feed/capture_state.h"

/* Opens (tk_format.open) and runs the index pass. */
int tk_ut_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err);

/* Opens a reading in file order, or in serial order. */
int tk_ut_source_file(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err);
int tk_ut_source_serial(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                        struct tk_err *err);

/* Opens a reading of the last packets of all lanes only (tk_request.ends). */
int tk_ut_source_ends(struct tk_ut_capture *c, const struct tk_request *request, struct tk_source **out,
                      struct tk_err *err);

/* Puts a reading that gives times in parts of cycles around one that gives cycles, and owns that. On failure
 * that is closed. */
int tk_ut_source_parts(struct tk_ut_capture *c, struct tk_source **source, struct tk_err *err);

/* Tables of the format: `file`, `streams`, `types`. NULL-terminated. */
extern const struct tk_table *const tk_ut_tables[];

/* tk_capture_ops.describe */
int tk_ut_describe(struct tk_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                   struct tk_err *err);

#endif
