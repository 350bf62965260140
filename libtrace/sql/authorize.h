/*
 * What statements may do: read. Nothing is attached, written, loaded or set.
 */
#ifndef TK_SQL_AUTHORIZE_H
#define TK_SQL_AUTHORIZE_H

#include "sql/tables/connection.h"

/* From now on. */
void tk_sql_authorize(struct tk_sql_connection *c);

#endif
