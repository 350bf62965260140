/*
 * Rows of tables that a format fills by itself (tk_format.row_tables).
 */
#ifndef TK_QUERY_FORMAT_ROWS_H
#define TK_QUERY_FORMAT_ROWS_H

#include "query/builder.h"

/*
 * A builder for such a table: sends its rows as they come, in the order of seq where they have one. Rows of
 * what lies outside the selected times, or on other threads, are left out. Columns `thread_id` and `thread`
 * are filled from the thread of the fact. The table is borrowed.
 */
struct tk_builder tk_rows_builder(const struct tk_table *table);

#endif
