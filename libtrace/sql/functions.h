/*
 * Functions of SQL beside those of SQLite: durations for people, percentiles, the overlap of two intervals,
 * hashes of texts, and the ones of Perfetto that convert times.
 */
#ifndef TK_SQL_FUNCTIONS_H
#define TK_SQL_FUNCTIONS_H

#include "sql/tables/engine.h"

/* SQLITE_OK or what failed. */
int tk_sql_functions_register(sqlite3 *db);

#endif
