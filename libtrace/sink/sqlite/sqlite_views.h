/*
 * What a database gets when all of its tables are there.
 */
#ifndef TK_SINK_SQLITE_SQLITE_VIEWS_H
#define TK_SINK_SQLITE_SQLITE_VIEWS_H

#include <sqlite3.h>

/* Creates the views of schemas/views.sql. 0, or -1: the connection says why. */
int tk_sqlite_views_make(sqlite3 *db);

/* Creates indexes over time, threads and timers, and over texts. Likewise. */
int tk_sqlite_indexes_make(sqlite3 *db);

#endif
