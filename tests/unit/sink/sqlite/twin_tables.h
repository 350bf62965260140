/*
 * A database with a table `ours`, whose pages we write, and a table `theirs`, into which SQLite inserts the
 * same rows. What SQLite reads from both has to be the same.
 */
#ifndef TK_TESTS_UNIT_SINK_SQLITE_TWIN_TABLES_H
#define TK_TESTS_UNIT_SINK_SQLITE_TWIN_TABLES_H

#include "run.h"
#include "sink/sqlite/sqlite_in.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct twins {
    char path[256];
    sqlite3 *db;
    struct tk_sqlite_pages pages;
    struct tk_sqlite_tree tree;
    struct tk_sqlite_record record;
    sqlite3_stmt *insert; /* into theirs: rowid, then the columns */
    int at;               /* the next parameter */
};

static inline void run_sql(sqlite3 *db, const char *sql)
{
    char *why = NULL;
    ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK, "%s: %s", sql, why ? why : "");
}

/* The first value of an answer, as text; valid until the next call. */
static inline const char *ask_sql(sqlite3 *db, const char *sql)
{
    static char text[256];
    sqlite3_stmt *stmt;
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    const bool some = sqlite3_step(stmt) == SQLITE_ROW;
    snprintf(text, sizeof text, "%s", some ? (const char *)sqlite3_column_text(stmt, 0) : "(nothing)");
    ck_assert_int_eq(sqlite3_finalize(stmt), SQLITE_OK);
    return text;
}

static inline void prepare_twins_insert(struct twins *t, int columns)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "INSERT INTO theirs(rowid");
    for (int i = 0; i < columns; i++)
        sqlite3_str_appendf(sql, ",c%d", i);
    sqlite3_str_appendall(sql, ")VALUES(?");
    for (int i = 0; i < columns; i++)
        sqlite3_str_appendall(sql, ",?");
    sqlite3_str_appendchar(sql, 1, ')');
    char *text = sqlite3_str_finish(sql);
    ck_assert_int_eq(sqlite3_prepare_v2(t->db, text, -1, &t->insert, NULL), SQLITE_OK);
    sqlite3_free(text);
}

/* Columns c0, c1, ... of a type (NULL: none). Theirs are in a database of their own, attached, so that ours
 * has no pages but our own. */
static inline struct twins *twins_new(unsigned page_size, int columns, const char *type)
{
    struct twins *t = calloc(1, sizeof *t);
    const char *dir = getenv("TMPDIR");
    snprintf(t->path, sizeof t->path, "%s/tracekit-twins-%ld.db", dir ? dir : "/tmp", (long)getpid());
    unlink(t->path);
    ck_assert_int_eq(sqlite3_open(t->path, &t->db), SQLITE_OK);
    char sql[128];
    snprintf(sql, sizeof sql,
             "PRAGMA page_size=%u;PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
             "ATTACH ':memory:' AS other",
             page_size);
    run_sql(t->db, sql);
    for (int i = 0; i < 2; i++) {
        sqlite3_str *create = sqlite3_str_new(NULL);
        sqlite3_str_appendall(create, i ? "CREATE TABLE other.theirs(" : "CREATE TABLE ours(");
        for (int c = 0; c < columns; c++)
            sqlite3_str_appendf(create, "%sc%d %s", c ? "," : "", c, type ? type : "");
        sqlite3_str_appendchar(create, 1, ')');
        char *text = sqlite3_str_finish(create);
        run_sql(t->db, text);
        sqlite3_free(text);
    }
    const unsigned root = (unsigned)atoi(ask_sql(t->db, "SELECT rootpage FROM sqlite_schema"));
    ck_assert_int_eq(tk_sqlite_pages_open(&t->pages, t->db), SQLITE_OK);
    ck_assert_uint_eq(t->pages.size, page_size);
    tk_sqlite_tree_open(&t->tree, &t->pages, root);
    ck_assert_int_eq(tk_sqlite_record_open(&t->record), 0);
    prepare_twins_insert(t, columns);
    return t;
}

static inline void twins_begin(struct twins *t, int64_t row)
{
    tk_sqlite_record_clear(&t->record);
    sqlite3_bind_int64(t->insert, 1, row);
    t->at = 2;
}

static inline void twins_int(struct twins *t, int64_t v, enum tk_sqlite_affinity affinity)
{
    tk_sqlite_record_whole(&t->record, v, affinity);
    sqlite3_bind_int64(t->insert, t->at++, v);
}

static inline void twins_real(struct twins *t, double v, enum tk_sqlite_affinity affinity)
{
    tk_sqlite_record_real(&t->record, v, affinity);
    sqlite3_bind_double(t->insert, t->at++, v);
}

static inline void twins_bytes(struct twins *t, const void *p, size_t n, bool text)
{
    tk_sqlite_record_bytes(&t->record, p, n, text);
    if (text)
        sqlite3_bind_text(t->insert, t->at++, p, (int)n, SQLITE_STATIC);
    else
        sqlite3_bind_blob(t->insert, t->at++, p, (int)n, SQLITE_STATIC);
}

static inline void twins_null(struct twins *t)
{
    tk_sqlite_record_null(&t->record);
    sqlite3_bind_null(t->insert, t->at++);
}

static inline void twins_end(struct twins *t, int64_t row)
{
    must(tk_sqlite_record_check(&t->record) == SQLITE_OK);
    must(tk_sqlite_tree_add(&t->tree, row, &t->record) == SQLITE_OK);
    must(sqlite3_step(t->insert) == SQLITE_DONE);
    sqlite3_reset(t->insert);
}

static inline bool same_value(sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
    if (sqlite3_column_type(a, i) != sqlite3_column_type(b, i))
        return false;
    if (sqlite3_column_type(a, i) == SQLITE_FLOAT) {
        const double x = sqlite3_column_double(a, i), y = sqlite3_column_double(b, i);
        return memcmp(&x, &y, sizeof x) == 0;
    }
    if (sqlite3_column_type(a, i) == SQLITE_INTEGER)
        return sqlite3_column_int64(a, i) == sqlite3_column_int64(b, i);
    const void *x = sqlite3_column_blob(a, i), *y = sqlite3_column_blob(b, i);
    const int n = sqlite3_column_bytes(a, i);
    return n == sqlite3_column_bytes(b, i) && (n == 0 || memcmp(x, y, (size_t)n) == 0);
}

/* Has a connection all rows of theirs in ours, and no others? */
static inline void twins_same(struct twins *t, sqlite3 *db)
{
    sqlite3_stmt *ours, *theirs;
    int a, b;
    ck_assert_str_eq(ask_sql(db, "PRAGMA integrity_check"), "ok");
    ck_assert_int_eq(sqlite3_prepare_v2(db, "SELECT rowid,* FROM ours ORDER BY rowid", -1, &ours, NULL), 0);
    ck_assert_int_eq(
        sqlite3_prepare_v2(t->db, "SELECT rowid,* FROM theirs ORDER BY rowid", -1, &theirs, NULL), 0);
    while ((a = sqlite3_step(ours)) + (b = sqlite3_step(theirs)) == 2 * SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(theirs); i++)
            if (!same_value(ours, theirs, i))
                ck_abort_msg("row %lld, column %d: '%s' (%d), not '%s' (%d)",
                             (long long)sqlite3_column_int64(theirs, 0), i, sqlite3_column_text(ours, i),
                             sqlite3_column_type(ours, i), sqlite3_column_text(theirs, i),
                             sqlite3_column_type(theirs, i));
    ck_assert_int_eq(a, SQLITE_DONE);
    ck_assert_int_eq(b, SQLITE_DONE);
    sqlite3_finalize(ours);
    sqlite3_finalize(theirs);
}

/* Ends the tree and compares, as this connection reads it and as a new one does. */
static inline void twins_check(struct twins *t)
{
    sqlite3 *other;
    ck_assert_int_eq(tk_sqlite_tree_finish(&t->tree), SQLITE_OK);
    ck_assert_int_eq(tk_sqlite_pages_lend(&t->pages), SQLITE_OK);
    twins_same(t, t->db);
    ck_assert_int_eq(sqlite3_open(t->path, &other), SQLITE_OK);
    twins_same(t, other);
    sqlite3_close(other);
}

static inline void twins_free(struct twins *t)
{
    sqlite3_finalize(t->insert);
    tk_sqlite_tree_release(&t->tree);
    tk_sqlite_record_release(&t->record);
    ck_assert_int_eq(sqlite3_close(t->db), SQLITE_OK);
    unlink(t->path);
    free(t);
}

#endif
