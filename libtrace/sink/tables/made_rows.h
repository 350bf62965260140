/*
 * Rows that are made into bytes apart from their writer, in any thread, and put behind each other later:
 * formats that write a row the same way wherever it stands. The exports make rows so with several jobs.
 */
#ifndef TK_SINK_TABLES_MADE_ROWS_H
#define TK_SINK_TABLES_MADE_ROWS_H

#include "sink/tables/writer.h"

/* The bytes of some rows. Zero-initialised it has none, and may be released. */
struct tk_made_rows {
    struct tk_writer as; /* the writer as it was, with buffers of its own */
    struct tk_err err;   /* why as.out.status is what it is */
};

/* Can rows of a format be made apart? */
bool tk_format_makes_apart(const char *format);

/* TK_OK or TK_ENOMEM. */
int tk_made_rows_init(struct tk_made_rows *m, struct tk_err *err);
void tk_made_rows_release(struct tk_made_rows *m);

/* Makes rows of a table that has begun, in place of those that it had. Several may be made at one time, as
 * long as nothing else is asked of the writer. */
void tk_made_rows_make(struct tk_made_rows *m, const struct tk_writer *w, const struct tk_table *table,
                       const struct tk_rows *rows);

/* Writes what was made. TK_OK, or what making or writing failed with. */
int tk_made_rows_put(const struct tk_made_rows *m, struct tk_writer *w, struct tk_err *err);

#endif
