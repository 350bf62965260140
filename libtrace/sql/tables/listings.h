/*
 * Virtual tables of what a connection knows itself: `string`, the texts that have numbers, `captures`, and
 * others that the views of an exported database name.
 */
#ifndef TK_SQL_TABLES_LISTINGS_H
#define TK_SQL_TABLES_LISTINGS_H

#include "sql/tables/connection.h"

/* CREATE VIRTUAL TABLE t USING tracekit_listing(GROUP, string|captures|record_args|meta|run_info). SQLITE_OK
 * or what failed. */
int tk_sql_listings_register(struct tk_sql_connection *c);

#endif
