/*
 * The schema of a database: tables and views that are created, or made to fit further captures. Those may
 * have other columns: of another kind of captures, or because others were asked for.
 */
#ifndef TK_SINK_SQLITE_SQLITE_SCHEMA_H
#define TK_SINK_SQLITE_SQLITE_SCHEMA_H

#include "sink/sqlite/sqlite_table.h"

/* Creates the table and its view. Where they are there, adds the columns that the table lacks and, when
 * `shown`, those that the view lacks. SQLITE_OK or what failed. */
int tk_sqlite_schema_fit(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, bool shown);

/* Makes the view anew where rows have numbers beyond those of SQLite: it shows them as texts. To be called
 * when all rows are there. SQLITE_OK or what failed. */
int tk_sqlite_schema_show(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t);

/* Puts the names of the columns, or their declarations, each behind a comma, into the statement c->sql. */
void tk_sqlite_schema_columns(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, bool declared);

/* What a column whose cells are of a kind does with numbers. */
enum tk_sqlite_affinity tk_sqlite_schema_affinity(uint8_t kind);

#endif
