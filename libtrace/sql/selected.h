/*
 * SQL over a part of captures: for those of the library that ask on behalf of somebody who selected one.
 */
#ifndef TK_SQL_SELECTED_H
#define TK_SQL_SELECTED_H

struct tk_selection;
struct tk_sql;

/* All statements see this part of each capture alone. Borrowed; NULL: all. Threads and timers of it are not
 * looked at. */
void tk_sql_select(struct tk_sql *sql, const struct tk_selection *select);

#endif
