/*
 * Tables of a database, as sqlite.h says what they look like: cells become records, which go where
 * sqlite_rows.h says.
 *
 * Failures are codes of SQLite's; of SQLITE_NOMEM the database need not know.
 */
#ifndef TK_SINK_SQLITE_SQLITE_TABLE_H
#define TK_SINK_SQLITE_SQLITE_TABLE_H

#include "sink/sqlite/sqlite_args.h"

/* What all tables of one capture share. */
struct tk_sqlite_capture {
    sqlite3 *db;                   /* borrowed */
    struct tk_sqlite_pages *pages; /* borrowed; of a new database, else NULL */
    int64_t id;                    /* in `captures` */
    bool asked;                    /* the columns were named: none of them is left out */
    struct tk_sqlite_record record;
    struct tk_sqlite_texts texts;
    struct tk_sqlite_args args;
    struct tk_buffer sql, scratch;
};

/* All but the id and `asked`, which are set before. Releases nothing when it fails. SQLITE_OK or what failed.
 */
int tk_sqlite_capture_open(struct tk_sqlite_capture *c, const struct tk_sqlite_target *to);

/* No more rows, texts and records come. SQLITE_OK or what failed. */
int tk_sqlite_capture_finish(struct tk_sqlite_capture *c);

/* One that is cleared to 0 is allowed. */
void tk_sqlite_capture_release(struct tk_sqlite_capture *c);

struct tk_sqlite_column {
    uint32_t from; /* in the rows */
    enum tk_sqlite_affinity affinity;
    bool text;   /* a number of a text */
    bool beyond; /* of those inserted one was 2^63 or more: a negative number in the table */
};

#define TK_SQLITE_NO_RECORD UINT32_MAX

/* A table that takes rows. */
struct tk_sqlite_table {
    const struct tk_table *table;     /* borrowed */
    struct tk_sqlite_column *columns; /* owned, n */
    uint32_t n;
    uint32_t record; /* the column whose fields are arguments, in the rows; TK_SQLITE_NO_RECORD */
    struct tk_sqlite_rows rows;
};

/* Creates the table and its view or, where they are there, adds the columns that the table lacks. SQLITE_OK
 * or what failed. */
int tk_sqlite_table_create(struct tk_sqlite_capture *c, const struct tk_table *table);

/* The same, and the view has all of the columns; makes ready for rows. SQLITE_OK or what failed; it has to be
 * released all the same. */
int tk_sqlite_table_open(struct tk_sqlite_table *t, struct tk_sqlite_capture *c,
                         const struct tk_table *table);

/* Adds rows to the table. SQLITE_OK or what failed. */
int tk_sqlite_table_add(struct tk_sqlite_table *t, struct tk_sqlite_capture *c, const struct tk_rows *batch);

/* No more rows come. SQLITE_OK or what failed. */
int tk_sqlite_table_finish(struct tk_sqlite_table *t);

void tk_sqlite_table_release(struct tk_sqlite_table *t);

#endif
