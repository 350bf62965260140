/*
 * Kinds of columns that SQLite does not tell: those of sums, means, extremes and percentiles of a column are
 * its own.
 */
#ifndef TK_SQL_RESULT_KINDS_H
#define TK_SQL_RESULT_KINDS_H

#include "sql/tables/engine.h"
#include "tracekit.h"

#include <stddef.h>
#include <stdint.h>

/* Sets kind and unit of the result columns of a statement whose kind is TK_NONE to those of the column that
 * sum, total, avg, min, max, median or percentile is taken of, where that is a time, a duration or bytes.
 * sql[0..n) is the statement; it is prepared once more without these functions, and not run. Where that
 * cannot be done nothing is set. */
void tk_sql_result_kinds(sqlite3 *db, const char *sql, size_t n, struct tk_column *columns, int n_columns);

#endif
