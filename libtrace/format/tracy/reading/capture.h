/*
 * What a .tracy gives the program: opening it, a reading of it, and tables about the file itself.
 */
#ifndef TK_FORMAT_TRACY_READING_CAPTURE_H
#define TK_FORMAT_TRACY_READING_CAPTURE_H

#include "fact/format.h"

/* tk_format.open */
int tk_tracy_capture_open(struct tk_context *ctx, struct tk_capture **out, struct tk_err *err);

/* tk_capture_ops.read */
int tk_tracy_source_open(struct tk_capture *c, const struct tk_request *request, struct tk_source **out,
                         struct tk_err *err);

/* Tables of the format: `file`, `sections`. NULL-terminated. */
extern const struct tk_table *const tk_tracy_tables[];

/* tk_capture_ops.describe */
int tk_tracy_describe(struct tk_capture *c, const struct tk_table *table, const struct tk_sink *sink,
                      struct tk_err *err);

#endif
