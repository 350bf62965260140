/*
 * Emit: the way of rows from a builder to a sink. Rows are filled in by the full table, kept in batches, cut
 * down to the columns requested, and handed on. builder.h has the part that builders use.
 */
#ifndef TK_QUERY_EMIT_H
#define TK_QUERY_EMIT_H

#include "query/builder.h"
#include "tracekit/queries.h"

/* For the rows of one full table as the query requests it. The table and the sink are borrowed. TK_OK, or as
 * tk_projection_init. Nothing is sent yet. */
int tk_emit_open(struct tk_emit **out, const struct tk_table *full, const struct tk_query *query,
                 const struct tk_sink *sink, struct tk_err *err);

/* Columns requested: bit i is column i of the full table. */
uint64_t tk_emit_columns(const struct tk_emit *e);

/* Sends begin. TK_OK or what the sink said. */
int tk_emit_begin(struct tk_emit *e, struct tk_err *err);

/* What a builder returned; where that is what the sink said, its causes go to err. */
int tk_emit_why(const struct tk_emit *e, int rc, struct tk_err *err);

/* Sends the rows that wait; to be called before what their cells point to goes away. TK_OK or what the sink
 * said. */
int tk_emit_flush(struct tk_emit *e, struct tk_err *err);

/* Sends the rows that wait and end. TK_OK or what the sink said. */
int tk_emit_end(struct tk_emit *e, struct tk_err *err);

/* A sink that takes rows of the full table. Its begin and end do nothing. Lives as long as e. */
struct tk_sink tk_emit_sink(struct tk_emit *e);

/* NULL is allowed. */
void tk_emit_close(struct tk_emit *e);

/*
 * Rows of tables that a format fills by itself (tk_format.row_tables).
 */

/*
 * A builder for such a table: sends its rows as they come, in the order of seq where they have one. Rows of
 * what lies outside the selected times, or on other threads, are left out. Columns `thread_id`, `thread`
 * and those behind it (table/thread_columns.h) are filled from the thread of the fact. The table is borrowed.
 */
struct tk_builder tk_rows_builder(const struct tk_table *table);

#endif
