/*
 * Where the rows of one table go: into pages of a new database, which is several times as fast, or by
 * insertion into one that others may use.
 *
 * All functions that return int return SQLITE_OK or what failed.
 */
#ifndef TK_SINK_SQLITE_SQLITE_ROWS_H
#define TK_SINK_SQLITE_SQLITE_ROWS_H

#include "sink/sqlite/btree_table.h"

/* A database that takes rows. */
struct tk_sqlite_target {
    sqlite3 *db;                   /* borrowed */
    struct tk_sqlite_pages *pages; /* borrowed; NULL: rows are inserted */
};

struct tk_sqlite_rows {
    struct tk_sqlite_tree tree; /* root 0: rows are inserted */
    int64_t last;               /* id of the last row in the tree */
    sqlite3_stmt *many, *one;   /* owned; NULL: in the tree */
    sqlite3_stmt *filling;      /* the one that some rows are bound to */
    unsigned bound;             /* rows */
    int at;                     /* the next parameter */
};

/* Of a table that is there, with so many columns, all of which rows have; in SQLite's turn. `columns` are
 * their names behind each other, with commas. It has to be released all the same when it fails. */
int tk_sqlite_rows_open(struct tk_sqlite_rows *r, const struct tk_sqlite_target *to, const char *table,
                        const char *columns, unsigned n_columns);

/* Adds a row, behind which at least `more` are sure to come. In our turn. */
int tk_sqlite_rows_add(struct tk_sqlite_rows *r, const struct tk_sqlite_record *record, size_t more);

/* No more rows come. */
int tk_sqlite_rows_finish(struct tk_sqlite_rows *r);

/* One that is cleared to 0 is allowed. */
void tk_sqlite_rows_release(struct tk_sqlite_rows *r);

#endif
