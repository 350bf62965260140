/*
 * The module of virtual tables, as SQLite calls it.
 */
#ifndef TK_SQL_TABLES_MODULE_H
#define TK_SQL_TABLES_MODULE_H

#include "sql/tables/connection.h"

/* "tracekit_group": CREATE VIRTUAL TABLE t USING tracekit_group(GROUP, TABLE, plain|physical), of a
 * connection. "tracekit_string": the texts that physical tables have numbers of; "tracekit_captures". */
int tk_sql_module_register(struct tk_sql_connection *c);

/* All tables and views of a group in its schema. TK_OK or what failed. */
int tk_sql_module_fill(struct tk_sql_connection *c, size_t group, bool temporary, struct tk_err *err);

/* "tracekit": CREATE VIRTUAL TABLE t USING tracekit('file.utrace', 'timers'), of any program. */
int tk_sql_module_register_files(sqlite3 *db);

#endif
