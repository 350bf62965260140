/*
 * Rows put together by the value of one column, so that they can be handed over group after group. In memory
 * up to a bound, beyond it in a temporary file.
 */
#ifndef TK_SQL_ROWS_GROUPED_H
#define TK_SQL_ROWS_GROUPED_H

#include "sql/tables/value.h"

struct tk_sql_grouped;

/* Rows of n values each. dir: for the file; NULL: TMPDIR or /tmp. TK_OK or TK_ENOMEM. */
int tk_sql_grouped_new(struct tk_sql_grouped **out, size_t n, const char *dir, struct tk_err *err);

/* Adds a row to the group of `key`. TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_sql_grouped_add(struct tk_sql_grouped *g, const struct tk_sql_value *key,
                       const struct tk_sql_value *row, struct tk_err *err);

/* All rows are there: groups come in the order of their values, with `down` the greatest first. TK_OK,
 * TK_ENOMEM. */
int tk_sql_grouped_sort(struct tk_sql_grouped *g, bool down, struct tk_err *err);

/* The next row, group after group; in a group as they came. It lives
 * until the next call. TK_ITEM, TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_sql_grouped_next(struct tk_sql_grouped *g, const struct tk_sql_value **row, struct tk_err *err);

/* NULL is allowed. */
void tk_sql_grouped_free(struct tk_sql_grouped *g);

#endif
