/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_TRACY_READING_READING_IN_H
#define TK_FORMAT_TRACY_READING_READING_IN_H

#include "fact/format.h"
#include "format/tracy/walk/own_tables.h"

/*
 * What a .tracy gives the program: opening it, a reading of it, and tables about the file itself.
 */

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

/*
 * How a capture is laid out whose version does not say so: the layouts of its minor version are tried. Called
 * when a capture is opened, before its front is read.
 */

/*
 * Sets the layout of a capture whose container is open and whose version is known; notes where that is not
 * what the version says. A version that was not released is walked over, to its end, in each layout of its
 * minor version until one of them fits all of it; where none does, the one that went through the most
 * sections is taken. TK_OK, TK_ENOMEM, TK_EIO, TK_ECANCELED.
 */
int tk_tracy_choose_layout(struct tk_tracy_capture *c, struct tk_err *err);

#endif
