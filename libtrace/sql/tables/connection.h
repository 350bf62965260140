/*
 * What all virtual tables of one database connection share: the captures in groups, the rows that are kept,
 * and who requests to stop. sql.c and extension.c make one; the module and everything below it use it.
 */
#ifndef TK_SQL_TABLES_CONNECTION_H
#define TK_SQL_TABLES_CONNECTION_H

#include "base/err.h"
#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "os/file.h"
#include "tracekit/captures.h"
#include "tracekit/runs.h"

#include <string.h>

/*
 * SQLite as this space calls it: the library that is linked, or in the loadable extension the one of the
 * program that loads it. The first header of each file that calls SQLite.
 */

#ifdef TK_SQL_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

/* From this version on a module is given constants, lists and groups. */
#define TK_SQL_REPORTED 3038000

/* Open captures at a time; further ones take the place of those that are not read. */
#define TK_SQL_OPEN 64

/* A second reading of one capture at the same time needs a second handle. */
struct tk_sql_handle {
    struct tk_trace *trace; /* owned, unless it is lent */
    bool busy, lent;
    uint64_t used; /* when it was used last, by the connection's count */
};

/* One capture or file of baselines. */
struct tk_sql_source {
    char *path, *name; /* owned */
    int64_t id;        /* in its group, from 1 */
    TK_VEC(struct tk_sql_handle) handles;
    struct tk_baseline *baseline;             /* owned; NULL: it is a capture, or not yet open */
    bool known;                               /* it was opened once */
    struct tk_os_info info;                   /* of the file, when it was */
    uint64_t version;                         /* a change of the file is another version */
    bool damaged, partial, lossy;             /* of handles that are closed again */
    unsigned noted;                           /* faults that were noted, a bit each */
    const struct tk_sql_connection *taken_by; /* borrowed; NULL: never taken */
    struct tk_sql_frames *frames;             /* owned; NULL: not requested yet */
    bool dated;                               /* `begin` was requested */
    int64_t begin;                            /* nanoseconds since 1970; INT64_MIN: not known */
};

/* Captures whose tables stand alongside each other in one schema. */
struct tk_sql_group {
    char *schema; /* owned */
    TK_VEC(struct tk_sql_source *) sources;
};

struct tk_sql_ahead;
struct tk_sql_store;

/* What a part of a statement queries of several captures by name, and whether any of them has it. A join
   queries again and again, and each time only some of the captures: only the end of the statement can tell.
 */
struct tk_sql_requested {
    const void *part; /* distinguishes parts of the statement */
    bool found;
    struct tk_err err; /* what the last one has not */
};

enum { TK_SQL_REQUESTED = 8 /* of further parts nothing is said */ };

struct tk_sql_connection {
    sqlite3 *db;               /* borrowed */
    struct tk_options options; /* how captures are opened */
    int (*stop)(void *ctx);    /* NULL: nobody requests */
    void *stop_ctx;
    void (*note)(void *ctx, const char *text); /* what the user should know; may be NULL */
    void *note_ctx;
    const struct tk_selection *select; /* what is seen of captures; NULL: all. Borrowed */
    struct tk_sql_ahead *ahead; /* what is to be read is noted here, and no row comes; NULL: rows come */
    bool warns;                 /* faults of captures are noted after a reading */
    bool declaring;             /* the columns of a table, which is no writing */
    bool no_push;               /* nothing is pushed down: SQLite does all by itself */
    bool bounded;               /* functions that take long with texts that are not too long are refused */
    TK_VEC(struct tk_sql_group *) groups;
    TK_VEC(struct tk_sql_store *) stores;
    struct tk_intern texts; /* of the stores, and those with numbers */
    TK_VEC(const struct tk_str *) numbered;
    struct tk_map numbers; /* address of a text -> its place in `numbered` */
    uint64_t budget, kept; /* bytes of rows that are kept, and may be */
    uint64_t readings;     /* of captures, so far */
    uint64_t count;        /* of what happens; orders uses */
    uint64_t statement;    /* number of the statement, as far as it can be reported */
    size_t cursors;        /* open ones */
    size_t open;           /* handles */
    TK_VEC(char *) made; /* owned: "name AS (SELECT ...)" of temporary tables */
    struct tk_sql_requested requested[TK_SQL_REQUESTED]; /* of the statement that runs */
    size_t n_requested;
    int status; /* TK_OK, or why the last statement failed */
    struct tk_err err;
};

#define TK_SQL_BUDGET (UINT64_C(512) << 20)

/* TK_OK or TK_ENOMEM. The options are copied, what they point to is borrowed; may be NULL. */
int tk_sql_connection_new(struct tk_sql_connection **out, sqlite3 *db, const struct tk_options *options,
                          struct tk_err *err);

/* No virtual table may be left. NULL is allowed. */
void tk_sql_connection_free(struct tk_sql_connection *c);

/* A group, without captures. TK_OK or TK_ENOMEM. */
int tk_sql_group_new(struct tk_sql_group **out, struct tk_sql_connection *c, const char *schema,
                     struct tk_err *err);

/* Adds a file to a group; it is opened when it is read. TK_OK, TK_ENOMEM. */
int tk_sql_source_add(struct tk_sql_source **out, struct tk_sql_group *group, const char *path,
                      struct tk_err *err);

/* Adds a capture that is open, which has to live as long as the connection. TK_OK, TK_ENOMEM. */
int tk_sql_source_lend(struct tk_sql_group *group, struct tk_sql_connection *c, struct tk_trace *trace,
                       const char *path, struct tk_err *err);

/*
 * Makes a source ready: a capture has an idle handle in *handle, its place in `handles`, which is busy from
 * now on; a baseline has SIZE_MAX there. A file that changed is opened again, and noted. TK_OK or what
 * failed.
 */
int tk_sql_source_take(struct tk_sql_connection *c, struct tk_sql_source *s, size_t *handle,
                       struct tk_err *err);

/* The handle is idle again. */
void tk_sql_source_leave(struct tk_sql_source *s, size_t handle);

/* Closes what is idle. */
void tk_sql_source_close(struct tk_sql_connection *c, struct tk_sql_source *s);

/* A copy of a text, to be freed. NULL if out of memory. */
static inline char *tk_sql_copy(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

/* Keeps whether a part of the statement found what it requests; err: what is missing. */
void tk_sql_requested_note(struct tk_sql_connection *c, const void *part, bool found,
                           const struct tk_err *err);

/* At the end of a statement: TK_OK, or TK_EMATCH where a part requested something that no capture has. */
int tk_sql_requested_end(const struct tk_sql_connection *c, struct tk_err *err);

/* Does somebody ask to stop? */
bool tk_sql_stopped(const struct tk_sql_connection *c);

/* Keeps why a statement failed, and returns the code of SQLite's for it. *message (of a virtual table; may be
 * NULL) becomes the sentence. */
int tk_sql_failed(struct tk_sql_connection *c, int status, const struct tk_err *err, char **message);

/*
 * Reads what these statements query, with as few readings of the captures as there are selections, and keeps
 * it. Statements that are wrong, or that write, are passed over: they say so when they are run. TK_OK,
 * TK_ENOMEM, TK_ECANCELED, or what opening a capture says.
 */
int tk_sql_ahead_read(struct tk_sql_connection *c, const char *const *statements, size_t n,
                      struct tk_err *err);

/*
 * The module of virtual tables, as SQLite calls it.
 */

/* "tracekit_group": CREATE VIRTUAL TABLE t USING tracekit_group(GROUP, TABLE, plain|physical), of a
 * connection. "tracekit_string": the texts that physical tables have numbers of; "tracekit_captures". */
int tk_sql_module_register(struct tk_sql_connection *c);

/* All tables and views of a group in its schema. TK_OK or what failed. */
int tk_sql_module_fill(struct tk_sql_connection *c, size_t group, bool temporary, struct tk_err *err);

/* "tracekit": CREATE VIRTUAL TABLE t USING tracekit('file.utrace', 'timers'), of any program. */
int tk_sql_module_register_files(sqlite3 *db);

#endif
