/*
 * Statements: their rows as a table for a sink, and what is wrong with them in words.
 */
#ifndef TK_SQL_STATEMENT_H
#define TK_SQL_STATEMENT_H

#include "sql/tables/connection.h"

/* Answers all statements of a text, each with rows as a table `result`, `result_2`, ... plan: what each
 * would read, as `plan`, instead. TK_OK or what failed. */
int tk_sql_statement_run(struct tk_sql_connection *c, const char *text, bool plan, const struct tk_sink *sink,
                         struct tk_err *err);

/* Says what SQLite found wrong: where in the text, and which names are near. */
int tk_sql_statement_fail(struct tk_sql_connection *c, const char *text, const char *at, struct tk_err *err);

#endif
