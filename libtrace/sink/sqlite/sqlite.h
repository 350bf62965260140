/*
 * The SQLite sink: it writes every table to a table of one database. Rows of several tables may come
 * interleaved.
 *
 * Of a table T there is a table _T with a column capture_id before its own and, where T has texts, their
 * numbers in `string` in columns NAME_ref; the view T has the texts, the name
 * of the capture, and where there are times `wall_clock`, nanoseconds since 1970. Numbers above 2^63 - 1 come as negative
 * ones, what is composed (records, arrays) as JSON. Of `scopes` the name of the thread and the place of the
 * timer are left out, unless they were requested: `threads` and `timers` have them. `captures` lists the
 * captures of the database, each with a hash of its bytes and when it began, `run_info` what was said of them, `meta` says what
 * wrote it. Further views: see schemas/views.sql.
 *
 * A table of a database that is added to gets the columns that it lacks; a capture without a column has NULL.
 */
#ifndef TK_SINK_SQLITE_SQLITE_H
#define TK_SINK_SQLITE_SQLITE_H

#include "tracekit/tables.h"

struct tk_sqlite;

#define TK_SQLITE_APPLICATION 0x546b6974 /* application_id: "Tkit" */
#define TK_SQLITE_VERSION     5          /* user_version: of the schema */

/* Something that is said of the capture. Borrowed while the database is opened. */
struct tk_sqlite_said {
    const struct tk_str *key, *value;
};

struct tk_sqlite_options {
    const char *path;
    const char *name; /* of the capture */
    uint64_t content; /* hash of the capture, by which it is known again */
    int64_t begin;    /* of the capture, in nanoseconds since 1970; INT64_MIN: not known */
    const struct tk_sqlite_said *said;
    size_t n_said;
    bool force;  /* replace an existing file */
    bool append; /* add to an existing database, all or nothing */
    bool index;
    bool requested; /* the columns were named: none of them is left out */
    bool small;     /* few rows are to come: a new file has small pages, as each table takes one at least */
};

/* TK_OK; 1 when the capture is in the database already, and nothing was opened; TK_EOUTPUT, TK_ENOMEM. The
 * options are copied, their texts borrowed. */
int tk_sqlite_open(struct tk_sqlite **out, const struct tk_sqlite_options *opt, struct tk_err *err);

struct tk_sink tk_sqlite_sink(struct tk_sqlite *db);

/* Creates a table that no rows came of, or adds what columns it lacks, hidden from its view. TK_OK,
 * TK_EOUTPUT, TK_ENOMEM. */
int tk_sqlite_add_table(struct tk_sqlite *db, const struct tk_table *table, struct tk_err *err);

/* Makes views and indexes and puts the database in its place. Frees. TK_OK or TK_EOUTPUT. */
int tk_sqlite_commit(struct tk_sqlite *db, struct tk_err *err);

/* Throws away what was written and frees. NULL is allowed. */
void tk_sqlite_discard(struct tk_sqlite *db);

#endif
