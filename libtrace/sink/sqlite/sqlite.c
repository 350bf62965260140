/*
 * The SQLite sink: opens the database, fills it and puts it in its place. The tables are in sqlite_table.c,
 * texts in sqlite_text.c, record fields in sqlite_args.c.
 *
 * A new database gets its rows as pages that are written alongside SQLite, which makes the schema; the two
 * take turns. One that is added to gets them in one transaction of SQLite's.
 */
#include "sink/sqlite/sqlite.h"

#include "base/err.h"
#include "base/vec.h"
#include "io/output.h"
#include "sink/sqlite/sqlite_in.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For others that add to the same database, in milliseconds. */
enum { LONGEST_WAIT = 600000 };

/* Ids of slices have so many bits for their capture (schemas/views.sql). */
enum { MOST_CAPTURES = 1 << 8 };

struct tk_sqlite {
    struct tk_sqlite_options opt;
    struct tk_output *output; /* owned: a file that appears when it is complete; NULL: added to in place */
    sqlite3 *db;              /* owned */
    struct tk_sqlite_pages pages; /* of a new database */
    struct tk_sqlite_capture capture;
    TK_VEC(struct tk_sqlite_table) tables;
};

static int fail_sqlite(struct tk_sqlite *s, struct tk_err *err)
{
    /* Where it has no error of its own, it had no memory for one. */
    const int code = s->db ? sqlite3_errcode(s->db) : SQLITE_CANTOPEN;
    if (code == SQLITE_NOMEM || code == SQLITE_OK)
        return tk_err_nomem(err, "a database");
    return tk_err_set(err, TK_EOUTPUT, "cannot write database '%s': %s", s->opt.path,
                      s->db ? sqlite3_errmsg(s->db) : "it cannot be opened");
}

/* What a code of SQLite's says. */
static int reported(struct tk_sqlite *s, int code, struct tk_err *err)
{
    if (code == SQLITE_NOMEM)
        return tk_err_nomem(err, "a database");
    if (code == SQLITE_OK)
        return TK_OK;
    /* the connection need not know of it */
    if (s->db && (sqlite3_errcode(s->db) & 0xff) != (code & 0xff))
        return tk_err_set(err, TK_EOUTPUT, "cannot write database '%s': %s", s->opt.path,
                          sqlite3_errstr(code));
    return fail_sqlite(s, err);
}

static int run_sqlite(struct tk_sqlite *s, const char *sql, struct tk_err *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? TK_OK : fail_sqlite(s, err);
}

/* The number that a statement answers. */
static int ask(struct tk_sqlite *s, const char *sql, int64_t *answer, struct tk_err *err)
{
    sqlite3_stmt *stmt;
    if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return fail_sqlite(s, err);
    int rc = sqlite3_step(stmt) == SQLITE_ROW ? TK_OK : fail_sqlite(s, err);
    *answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc;
}

/* ---- opening ---- */

/* Nobody else knows the file. Between transactions SQLite has to look at it again, though, as we write to it,
 * and it must not keep more about its pages than we do. */
static const char prepare_new[] = "PRAGMA auto_vacuum=NONE;PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
                                  "PRAGMA locking_mode=NORMAL;PRAGMA cache_size=-16384;";

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS string(id INTEGER PRIMARY KEY, text);"
    "CREATE TABLE IF NOT EXISTS record_args(arg_set_id INTEGER, key_ref INTEGER, "
    "int_value INTEGER, string_value, real_value REAL, value_type TEXT);"
    "CREATE TABLE IF NOT EXISTS captures(id INTEGER PRIMARY KEY, name TEXT, content TEXT, begin INTEGER);"
    "CREATE TABLE IF NOT EXISTS run_info(capture_id INTEGER, key TEXT, value TEXT);"
    "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "INSERT OR REPLACE INTO meta VALUES('tool','tracekit " TK_VERSION "'),"
    "('unit','ns');";

static int prepare_file(struct tk_sqlite *s, struct tk_err *err)
{
    int rc = run_sqlite(s, s->opt.small ? "PRAGMA page_size=4096" : "PRAGMA page_size=32768", err);
    return rc == TK_OK ? run_sqlite(s, prepare_new, err) : rc;
}

static int check_ours(struct tk_sqlite *s, struct tk_err *err)
{
    int64_t application = 0, version = 0, tables = 0;
    int rc = ask(s, "PRAGMA application_id", &application, err);
    if (rc == TK_OK)
        rc = ask(s, "PRAGMA user_version", &version, err);
    if (rc == TK_OK)
        rc = ask(s, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (rc != TK_OK)
        return rc;
    if (tables == 0 || (application == TK_SQLITE_APPLICATION && version == TK_SQLITE_VERSION))
        return TK_OK;
    return tk_err_set(err, TK_EOUTPUT, "cannot add to '%s': it is no database of this version of tracekit",
                      s->opt.path);
}

/* Makes the file of a new database. */
static int make_file(struct tk_sqlite *s, struct tk_err *err)
{
    if (tk_compressing_of(s->opt.path) != TK_PACKING_NONE)
        return tk_err_set(err, TK_EUSAGE, "'%s': a database cannot be compressed", s->opt.path);
    if (tk_place_of(s->opt.path) == TK_PLACE_OTHER)
        return tk_err_set(err, TK_EOUTPUT, "cannot write database '%s': it is no file", s->opt.path);
    return tk_output_open_packed(&s->output, s->opt.path, s->opt.force, TK_PACKING_NONE, err);
}

static int open_file_sqlite(struct tk_sqlite *s, struct tk_err *err)
{
    int rc = s->opt.append ? TK_OK : make_file(s, err);
    if (rc < 0)
        return rc;
    /* Some names mean something to SQLite, which no whole path does. */
    char *path = tk_place_real(s->output ? tk_output_staged(s->output) : s->opt.path);
    if (!path)
        return tk_err_nomem(err, "a database");
    /* One thread at a time calls a sink. Nobody else opens an unfinished file, whose lock SQLite would meet
     * on systems where all kinds of locks are one. */
    const char *vfs = s->output && sqlite3_vfs_find("unix-none") ? "unix-none" : NULL;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs) != SQLITE_OK)
        rc = fail_sqlite(s, err);
    free(path);
    if (rc == TK_OK)
        sqlite3_busy_timeout(s->db, LONGEST_WAIT);
    return rc;
}

static int open_database(struct tk_sqlite *s, struct tk_err *err)
{
    int rc = open_file_sqlite(s, err);
    if (rc == TK_OK)
        rc = s->opt.append ? check_ours(s, err) : prepare_file(s, err);
    if (rc == TK_OK)
        rc = run_sqlite(s, "BEGIN IMMEDIATE", err);
    return rc == TK_OK ? run_sqlite(s, schema, err) : rc;
}

static int add_capture(struct tk_sqlite *s, struct tk_err *err)
{
    sqlite3_stmt *stmt;
    int rc = ask(s, "SELECT coalesce(max(id), 0) + 1 FROM captures", &s->capture.id, err);
    if (rc != TK_OK)
        return rc;
    if (s->capture.id > MOST_CAPTURES)
        return tk_err_set(err, TK_EOUTPUT,
                          "cannot add to '%s': it has %d captures, for more there are no ids", s->opt.path,
                          MOST_CAPTURES);
    if (sqlite3_prepare_v2(s->db, "INSERT INTO captures VALUES(?,?,printf('%016x',?),?)", -1, &stmt, NULL) !=
        SQLITE_OK)
        return fail_sqlite(s, err);
    sqlite3_bind_int64(stmt, 1, s->capture.id);
    sqlite3_bind_text(stmt, 2, s->opt.name ? s->opt.name : "", -1, SQLITE_STATIC);
    sqlite3_bind_int64(stmt, 3, (int64_t)s->opt.content);
    if (s->opt.begin != INT64_MIN)
        sqlite3_bind_int64(stmt, 4, s->opt.begin);
    rc = sqlite3_step(stmt) == SQLITE_DONE ? TK_OK : fail_sqlite(s, err);
    sqlite3_finalize(stmt);
    return rc;
}

static int add_said(struct tk_sqlite *s, struct tk_err *err)
{
    sqlite3_stmt *stmt;
    int rc = TK_OK;
    if (sqlite3_prepare_v2(s->db, "INSERT INTO run_info VALUES(?,?,?)", -1, &stmt, NULL) != SQLITE_OK)
        return fail_sqlite(s, err);
    for (size_t i = 0; i < s->opt.n_said && rc == TK_OK; i++) {
        const struct tk_sqlite_said *said = &s->opt.said[i];
        sqlite3_bind_int64(stmt, 1, s->capture.id);
        sqlite3_bind_text(stmt, 2, said->key->p, (int)said->key->n, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 3, said->value->p, (int)said->value->n, SQLITE_STATIC);
        rc = sqlite3_step(stmt) == SQLITE_DONE ? TK_OK : fail_sqlite(s, err);
        sqlite3_reset(stmt);
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Is the capture in the database? 1, 0 or what failed. */
static int is_there(struct tk_sqlite *s, struct tk_err *err)
{
    char sql[96];
    int64_t n = 0;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM captures WHERE content = '%016llx'",
             (unsigned long long)s->opt.content);
    int rc = ask(s, sql, &n, err);
    return rc < 0 ? rc : n > 0;
}

static int prepare_sqlite(struct tk_sqlite *s, struct tk_err *err)
{
    char pragmas[160];
    int rc = open_database(s, err);
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA application_id=%d;PRAGMA user_version=%d;"
             "INSERT OR REPLACE INTO meta VALUES('schema_version',%d);",
             TK_SQLITE_APPLICATION, TK_SQLITE_VERSION, TK_SQLITE_VERSION);
    if (rc == TK_OK)
        rc = run_sqlite(s, pragmas, err);
    if (rc == TK_OK)
        rc = is_there(s, err);
    if (rc == TK_OK)
        rc = add_capture(s, err);
    return rc == TK_OK ? add_said(s, err) : rc;
}

static int open_rows(struct tk_sqlite *s, struct tk_err *err)
{
    struct tk_sqlite_target to = {s->db, NULL};
    int rc = s->opt.append ? TK_OK : run_sqlite(s, "COMMIT", err);
    if (rc == TK_OK && !s->opt.append) {
        to.pages = &s->pages;
        rc = reported(s, tk_sqlite_pages_open(&s->pages, s->db), err);
    }
    return rc == TK_OK ? reported(s, tk_sqlite_capture_open(&s->capture, &to), err) : rc;
}

int tk_sqlite_open(struct tk_sqlite **out, const struct tk_sqlite_options *opt, struct tk_err *err)
{
    struct tk_sqlite *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return tk_err_nomem(err, "a database");
    s->opt = *opt;
    s->opt.append = opt->append && tk_place_of(opt->path) != TK_PLACE_EMPTY;
    s->capture.requested = opt->requested;
    int rc = prepare_sqlite(s, err);
    if (rc == TK_OK)
        rc = open_rows(s, err);
    if (rc == TK_OK)
        *out = s;
    else
        tk_sqlite_discard(s);
    return rc;
}

/* ---- tables ---- */

/* SQLite's turn: the code of what is done in it is reported. */
static int lend(struct tk_sqlite *s, struct tk_err *err)
{
    if (!s->capture.pages)
        return TK_OK;
    const int rc = reported(s, tk_sqlite_pages_lend(&s->pages), err);
    return rc == TK_OK ? run_sqlite(s, "BEGIN", err) : rc;
}

static int take_back(struct tk_sqlite *s, int code, struct tk_err *err)
{
    int rc = reported(s, code, err);
    if (!s->capture.pages || rc < 0)
        return rc;
    rc = run_sqlite(s, "COMMIT", err);
    return rc == TK_OK ? reported(s, tk_sqlite_pages_take(&s->pages), err) : rc;
}

int tk_sqlite_add_table(struct tk_sqlite *s, const struct tk_table *table, struct tk_err *err)
{
    const int rc = lend(s, err);
    return rc == TK_OK ? take_back(s, tk_sqlite_table_create(&s->capture, table), err) : rc;
}

/* A tree is written once. */
static int check_new(const struct tk_sqlite *s, const char *name, struct tk_err *err)
{
    for (size_t i = 0; s->capture.pages && i < s->tables.n; i++)
        if (strcmp(s->tables.v[i].table->name, name) == 0)
            return tk_err_set(err, TK_EUSAGE, "table '%s' begins twice", name);
    return TK_OK;
}

static int begin_sqlite(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_sqlite *s = self;
    struct tk_sqlite_table made;
    int rc = check_new(s, table->name, err);
    if (rc == TK_OK)
        rc = lend(s, err);
    if (rc < 0)
        return rc;
    rc = take_back(s, tk_sqlite_table_open(&made, &s->capture, table), err);
    if (rc == TK_OK && tk_vec_push(&s->tables, made))
        rc = tk_err_nomem(err, "a database");
    if (rc < 0)
        tk_sqlite_table_release(&made);
    return rc;
}

static struct tk_sqlite_table *find_made(const struct tk_sqlite *s, const struct tk_table *table)
{
    struct tk_sqlite_table *found = NULL;
    for (size_t i = 0; i < s->tables.n; i++)
        if (s->tables.v[i].table == table)
            found = &s->tables.v[i];
    return found;
}

static int rows_sqlite(void *self, const struct tk_table *table, const struct tk_rows *batch,
                       struct tk_err *err)
{
    struct tk_sqlite *s = self;
    struct tk_sqlite_table *to = find_made(s, table);
    if (!to)
        return tk_err_set(err, TK_EUSAGE, "rows of table '%s' come before it begins", table->name);
    return reported(s, tk_sqlite_table_add(to, &s->capture, batch), err);
}

static int end_sqlite(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_sqlite *s = self;
    struct tk_sqlite_table *to = find_made(s, table);
    int rc = to ? reported(s, tk_sqlite_table_finish(to), err) : TK_OK;
    if (!to || rc < 0)
        return rc;
    rc = lend(s, err);
    return rc == TK_OK ? take_back(s, tk_sqlite_schema_show(&s->capture, to), err) : rc;
}

struct tk_sink tk_sqlite_sink(struct tk_sqlite *db)
{
    return (struct tk_sink){.self = db, .begin = begin_sqlite, .rows = rows_sqlite, .end = end_sqlite};
}

/* ---- the end ---- */

/* All that keeps the database from being closed. */
static void release_sqlite(struct tk_sqlite *s)
{
    for (size_t i = 0; i < s->tables.n; i++)
        tk_sqlite_table_release(&s->tables.v[i]);
    tk_vec_release(&s->tables);
    tk_sqlite_capture_release(&s->capture);
}

/* The rest of the rows, and what is made of all of them. */
static int finish_sqlite(struct tk_sqlite *s, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < s->tables.n && rc == TK_OK; i++)
        rc = reported(s, tk_sqlite_table_finish(&s->tables.v[i]), err);
    if (rc == TK_OK)
        rc = reported(s, tk_sqlite_capture_finish(&s->capture), err);
    if (rc == TK_OK)
        rc = lend(s, err);
    if (rc == TK_OK && (tk_sqlite_views_make(s->db) || (s->opt.index && tk_sqlite_indexes_make(s->db))))
        rc = fail_sqlite(s, err);
    return rc == TK_OK ? run_sqlite(s, "COMMIT", err) : rc;
}

int tk_sqlite_commit(struct tk_sqlite *s, struct tk_err *err)
{
    int rc = finish_sqlite(s, err);
    release_sqlite(s);
    if (rc == TK_OK && sqlite3_close(s->db) != SQLITE_OK)
        rc = fail_sqlite(s, err);
    else if (rc == TK_OK)
        s->db = NULL;
    if (rc == TK_OK && s->output) {
        rc = tk_output_commit(s->output, err);
        s->output = NULL;
    }
    tk_sqlite_discard(s);
    return rc;
}

void tk_sqlite_discard(struct tk_sqlite *s)
{
    if (!s)
        return;
    release_sqlite(s);
    /* closing rolls back what was not committed */
    sqlite3_close(s->db);
    tk_output_discard(s->output);
    free(s);
}
