/*
 * The plan of a statement in words: which tables are read, with which selection, and what SQLite does with
 * the rows. For --plan.
 */
#ifndef TK_SQL_PLAN_TEXT_H
#define TK_SQL_PLAN_TEXT_H

#include "sql/tables/engine.h"
#include "tracekit.h"

/* Hands on the rows of EXPLAIN QUERY PLAN as a table `plan`: number of the step, and what it does. TK_OK or
 * what failed; SQLite's errors stay with the statement, whose last status is left in `code`. */
int tk_sql_plan_text(sqlite3_stmt *stmt, unsigned number, const struct tk_sink *sink, int *code,
                     struct tk_err *err);

#endif
