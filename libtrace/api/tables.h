/*
 * The table of tables: every table that can be requested, and who makes its rows.
 */
#ifndef TK_API_TABLES_H
#define TK_API_TABLES_H

#include "query/builder.h"

/* All tables are no more than this. */
enum { TK_MOST_TABLES = 128 };

/* The builder of a table of the model, or NULL. Static. */
const struct tk_builder *tk_builder_find(const char *name);

/* The table of a name that a format describes its files with, or NULL. Static. */
const struct tk_table *tk_format_table_find(const struct tk_format *format, const char *name);

/* The table of a name whose rows a format says as facts, or NULL. Static. */
const struct tk_table *tk_format_rows_find(const struct tk_format *format, const char *name);

/* Says that there is no table of the name, and which names are near: the status that the caller returns. */
int tk_tables_fail(const char *name, struct tk_err *err);

#endif
