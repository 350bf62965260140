/*
 * Functions of SQLite that compare each place of one text with all of another one. These take the sum of the
 * lengths, where SQLite's own take their product: no statement can be ended inside a function.
 */
#ifndef TK_SQL_SEARCH_FUNCTIONS_H
#define TK_SQL_SEARCH_FUNCTIONS_H

#include "sql/tables/engine.h"

/* instr, replace, trim, ltrim and rtrim, with the results of SQLite's. SQLITE_OK or what failed. */
int tk_sql_search_functions_register(sqlite3 *db);

#endif
