/*
 * What the files of a cursor share: cursor.c begins and goes on, cursor_rows.c has where rows come from,
 * cursor_values.c what is in them.
 */
#ifndef TK_SQL_TABLES_CURSOR_PARTS_H
#define TK_SQL_TABLES_CURSOR_PARTS_H

#include "sql/tables/cursor.h"

static inline const struct tk_sql_shape *tk_sql_cursor_shape(const struct tk_sql_cursor *cur)
{
    return &cur->table->shape;
}

/* The value of a term that is no list. */
static inline sqlite3_value *tk_sql_cursor_given(const struct tk_sql_cursor *cur, unsigned term)
{
    return cur->given[term].list.v[0];
}

/* Closes what the rows come from. */
void tk_sql_cursor_leave_source(struct tk_sql_cursor *cur);

/* The next row of any source. TK_ITEM, TK_OK or what failed. */
int tk_sql_cursor_next_row(struct tk_sql_cursor *cur, struct tk_err *err);

#endif
