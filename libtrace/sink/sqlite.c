/*
 * Tables to a database; see sqlite.h.
 *
 * Rows are inserted many at a time by one prepared statement; all in one transaction.
 */
#include "sink/sqlite.h"

#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"
#include "io/beside.h"
#include "sink/json_text.h"
#include "sink/sqlite_args.h"
#include "sink/sqlite_text.h"

enum { ROWS_AT_ONCE = 50 };

#define NO_RECORD UINT32_MAX

/* Made of schemas/views.sql. */
extern const char tk_sqlite_views[];

struct column {
    uint32_t from; /* in the rows */
    bool text;     /* a number of a text */
};

struct target {
    const struct tk_table *table; /* borrowed during the run */
    struct column *columns;       /* owned, n */
    uint32_t n;
    uint32_t record;          /* the column whose fields are arguments, in the rows; NO_RECORD */
    sqlite3_stmt *many, *one; /* owned */
};

struct tk_sqlite {
    struct tk_sqlite_options opt;
    char *beside; /* owned; NULL: written in place */
    sqlite3 *db;  /* owned */
    int64_t capture;
    struct tk_sqlite_texts texts;
    struct tk_sqlite_args args;
    struct tk_buffer sql, scratch;
    TK_VEC(struct target) targets;
};

static int fail(struct tk_sqlite *s, struct tk_err *err)
{
    /* Where it has no error of its own, it had no memory for one. */
    const int code = s->db ? sqlite3_errcode(s->db) : SQLITE_CANTOPEN;
    if (code == SQLITE_NOMEM || code == SQLITE_OK)
        return tk_err_nomem(err, "a database");
    return tk_err_set(err, TK_EOUTPUT, "cannot write database '%s': %s", s->opt.path,
                      s->db ? sqlite3_errmsg(s->db) : "it cannot be opened");
}

static int run(struct tk_sqlite *s, const char *sql, struct tk_err *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? TK_OK : fail(s, err);
}

/* The number that a statement answers. */
static int ask(struct tk_sqlite *s, const char *sql, int64_t *answer, struct tk_err *err)
{
    sqlite3_stmt *stmt;
    if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return fail(s, err);
    int rc = sqlite3_step(stmt) == SQLITE_ROW ? TK_OK : fail(s, err);
    *answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc;
}

/* ---- opening ---- */

static const char prepare_new[] = "PRAGMA page_size=32768;PRAGMA journal_mode=OFF;PRAGMA synchronous=OFF;"
                                  "PRAGMA locking_mode=EXCLUSIVE;PRAGMA cache_size=-16384;";

static const char schema[] = "CREATE TABLE IF NOT EXISTS string(id INTEGER PRIMARY KEY, text);"
                             "CREATE TABLE IF NOT EXISTS record_args(arg_set_id INTEGER, key_ref INTEGER, "
                             "int_value INTEGER, string_value, real_value REAL, value_type TEXT);"
                             "CREATE TABLE IF NOT EXISTS captures(id INTEGER PRIMARY KEY, name TEXT);"
                             "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
                             "INSERT OR REPLACE INTO meta VALUES('tool','tracekit " TK_VERSION "'),"
                             "('unit','ns');";

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

static int open_database(struct tk_sqlite *s, struct tk_err *err)
{
    const char *path = s->opt.path;
    int rc = TK_OK;
    if (!s->opt.append) {
        rc = tk_beside_name(&s->beside, path, s->opt.force, err);
        path = s->beside;
    }
    if (rc < 0)
        return rc;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        return fail(s, err);
    rc = s->opt.append ? check_ours(s, err) : run(s, prepare_new, err);
    if (rc == TK_OK)
        rc = run(s, "BEGIN IMMEDIATE", err);
    return rc == TK_OK ? run(s, schema, err) : rc;
}

static int add_capture(struct tk_sqlite *s, struct tk_err *err)
{
    sqlite3_stmt *stmt;
    int rc = ask(s, "SELECT coalesce(max(id), 0) + 1 FROM captures", &s->capture, err);
    if (rc != TK_OK)
        return rc;
    if (sqlite3_prepare_v2(s->db, "INSERT INTO captures VALUES(?,?)", -1, &stmt, NULL) != SQLITE_OK)
        return fail(s, err);
    sqlite3_bind_int64(stmt, 1, s->capture);
    sqlite3_bind_text(stmt, 2, s->opt.name ? s->opt.name : "", -1, SQLITE_STATIC);
    rc = sqlite3_step(stmt) == SQLITE_DONE ? TK_OK : fail(s, err);
    sqlite3_finalize(stmt);
    return rc;
}

static int prepare(struct tk_sqlite *s, struct tk_err *err)
{
    char pragmas[160];
    int rc = open_database(s, err);
    snprintf(pragmas, sizeof pragmas,
             "PRAGMA application_id=%d;PRAGMA user_version=%d;"
             "INSERT OR REPLACE INTO meta VALUES('schema_version',%d);",
             TK_SQLITE_APPLICATION, TK_SQLITE_VERSION, TK_SQLITE_VERSION);
    if (rc == TK_OK)
        rc = run(s, pragmas, err);
    if (rc == TK_OK)
        rc = add_capture(s, err);
    if (rc == TK_OK && (tk_sqlite_texts_open(&s->texts, s->db) ||
                        tk_sqlite_args_open(&s->args, s->db, &s->texts, s->capture)))
        rc = fail(s, err);
    if (rc == TK_OK && (tk_buffer_init(&s->sql, NULL, err) || tk_buffer_init(&s->scratch, NULL, err)))
        rc = TK_ENOMEM;
    return rc;
}

int tk_sqlite_open(struct tk_sqlite **out, const struct tk_sqlite_options *opt, struct tk_err *err)
{
    struct tk_sqlite *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return tk_err_nomem(err, "a database");
    s->opt = *opt;
    int rc = prepare(s, err);
    if (rc == TK_OK)
        *out = s;
    else
        tk_sqlite_discard(s);
    return rc;
}

/* ---- tables ---- */

/* What `scopes` would say again for every scope. */
static bool is_left_out(const struct tk_table *table, const char *column)
{
    static const char *const names[] = {"thread", "kind", "file", "line"};
    for (size_t i = 0; strcmp(table->name, "scopes") == 0 && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], column) == 0)
            return true;
    return false;
}

static const char *affinity(uint8_t kind)
{
    switch (kind) {
    case TK_REAL32:
    case TK_REAL:
    case TK_MEAN:
        return " REAL";
    case TK_BYTES:
        return " BLOB";
    default:
        return kind >= TK_ARRAY || kind == TK_NONE ? "" : " INTEGER";
    }
}

static void put_name(struct tk_buffer *b, const char *name, const char *end)
{
    tk_buffer_char(b, '"');
    tk_buffer_text(b, name);
    tk_buffer_text(b, end);
    tk_buffer_char(b, '"');
}

static int run_buffer(struct tk_sqlite *s, struct tk_err *err)
{
    tk_buffer_char(&s->sql, '\0');
    return s->sql.status < 0 ? tk_err_nomem(err, "a database") : run(s, s->sql.p, err);
}

static int create_table(struct tk_sqlite *s, const struct target *t, struct tk_err *err)
{
    s->sql.n = 0;
    tk_buffer_text(&s->sql, "CREATE TABLE IF NOT EXISTS \"_");
    tk_buffer_text(&s->sql, t->table->name);
    tk_buffer_text(&s->sql, "\"(capture_id INTEGER");
    tk_buffer_text(&s->sql, t->record == NO_RECORD ? "" : ",arg_set_id INTEGER");
    for (uint32_t i = 0; i < t->n; i++) {
        const struct tk_column *column = &t->table->columns[t->columns[i].from];
        tk_buffer_char(&s->sql, ',');
        put_name(&s->sql, column->name, t->columns[i].text ? "_ref" : "");
        tk_buffer_text(&s->sql, affinity(column->kind));
    }
    tk_buffer_text(&s->sql, ");CREATE VIEW IF NOT EXISTS ");
    put_name(&s->sql, t->table->name, "");
    tk_buffer_text(&s->sql, " AS SELECT capture_id");
    tk_buffer_text(&s->sql, t->record == NO_RECORD ? "" : ",arg_set_id");
    for (uint32_t i = 0; i < t->n; i++) {
        const char *name = t->table->columns[t->columns[i].from].name;
        tk_buffer_text(&s->sql, t->columns[i].text ? ",(SELECT text FROM string WHERE id=t." : ",");
        put_name(&s->sql, name, t->columns[i].text ? "_ref" : "");
        tk_buffer_text(&s->sql, t->columns[i].text ? ") AS " : " AS ");
        put_name(&s->sql, name, "");
    }
    tk_buffer_text(&s->sql, " FROM \"_");
    tk_buffer_text(&s->sql, t->table->name);
    tk_buffer_text(&s->sql, "\" t;");
    return run_buffer(s, err);
}

static int prepare_insert(struct tk_sqlite *s, const struct target *t, unsigned rows, sqlite3_stmt **out,
                          struct tk_err *err)
{
    s->sql.n = 0;
    tk_buffer_text(&s->sql, "INSERT INTO \"_");
    tk_buffer_text(&s->sql, t->table->name);
    tk_buffer_text(&s->sql, "\" VALUES");
    for (unsigned r = 0; r < rows; r++) {
        tk_buffer_text(&s->sql, r ? ",(" : "(");
        tk_buffer_i64(&s->sql, s->capture);
        for (uint32_t i = t->record == NO_RECORD; i <= t->n; i++)
            tk_buffer_text(&s->sql, ",?");
        tk_buffer_char(&s->sql, ')');
    }
    if (s->sql.status < 0)
        return tk_err_nomem(err, "a database");
    return sqlite3_prepare_v2(s->db, s->sql.p, (int)s->sql.n, out, NULL) == SQLITE_OK ? TK_OK : fail(s, err);
}

static int lay_out(struct target *t, const struct tk_table *table, struct tk_err *err)
{
    *t = (struct target){
        .table = table, .columns = calloc(table->n_columns + 1u, sizeof *t->columns), .record = NO_RECORD};
    if (!t->columns)
        return tk_err_nomem(err, "a database");
    for (uint32_t i = 0; i < table->n_columns; i++) {
        if (!is_left_out(table, table->columns[i].name))
            t->columns[t->n++] = (struct column){i, table->columns[i].kind == TK_TEXT};
        if (table->columns[i].kind == TK_RECORD && t->record == NO_RECORD)
            t->record = i;
    }
    return TK_OK;
}

int tk_sqlite_add_table(struct tk_sqlite *s, const struct tk_table *table, struct tk_err *err)
{
    struct target t;
    int rc = lay_out(&t, table, err);
    if (rc == TK_OK)
        rc = create_table(s, &t, err);
    free(t.columns);
    return rc;
}

static int begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_sqlite *s = self;
    struct target t;
    int rc = lay_out(&t, table, err);
    if (rc == TK_OK && tk_vec_push(&s->targets, t)) {
        free(t.columns);
        rc = tk_err_nomem(err, "a database");
    }
    if (rc < 0)
        return rc;
    struct target *made = &s->targets.v[s->targets.n - 1];
    rc = create_table(s, made, err);
    if (rc == TK_OK)
        rc = prepare_insert(s, made, 1, &made->one, err);
    return rc == TK_OK ? prepare_insert(s, made, ROWS_AT_ONCE, &made->many, err) : rc;
}

/* ---- rows ---- */

static int bind_composed(struct tk_sqlite *s, sqlite3_stmt *stmt, int at, const struct tk_cell *c)
{
    struct tk_buffer clean;
    s->scratch.n = 0;
    if (tk_buffer_init(&clean, NULL, NULL))
        return SQLITE_NOMEM;
    tk_json_value(&s->scratch, &clean, c, TK_UNIT_NS);
    tk_buffer_release(&clean);
    return sqlite3_bind_text(stmt, at, s->scratch.p, (int)s->scratch.n, SQLITE_TRANSIENT);
}

static int bind(struct tk_sqlite *s, sqlite3_stmt *stmt, int at, const struct tk_cell *c, bool text)
{
    switch (c->kind) {
    case TK_NONE:
        return sqlite3_bind_null(stmt, at);
    case TK_REAL32:
    case TK_REAL:
    case TK_MEAN:
        return sqlite3_bind_double(stmt, at, c->v.r);
    case TK_TEXT:
        if (text)
            return sqlite3_bind_int64(stmt, at, tk_sqlite_texts_number(&s->texts, c));
        return sqlite3_bind_text(stmt, at, c->v.p, (int)c->n, SQLITE_TRANSIENT);
    case TK_BYTES:
        return sqlite3_bind_blob64(stmt, at, c->n ? c->v.p : "", c->n, SQLITE_TRANSIENT);
    case TK_ARRAY:
    case TK_LIST:
    case TK_RECORD:
        return bind_composed(s, stmt, at, c);
    default:
        return sqlite3_bind_int64(stmt, at, c->v.i);
    }
}

/* The number of the arguments of a row. */
static int bind_args(struct tk_sqlite *s, sqlite3_stmt *stmt, int at, const struct tk_cell *c)
{
    return c->kind == TK_RECORD ? sqlite3_bind_int64(stmt, at, tk_sqlite_args_add(&s->args, c->v.p))
                                : sqlite3_bind_null(stmt, at);
}

static int insert(struct tk_sqlite *s, const struct target *t, sqlite3_stmt *stmt,
                  const struct tk_cell *cells, unsigned rows, struct tk_err *err)
{
    int rc = SQLITE_OK, at = 0;
    for (unsigned r = 0; r < rows; r++, cells += t->table->n_columns) {
        if (t->record != NO_RECORD && rc == SQLITE_OK)
            rc = bind_args(s, stmt, ++at, &cells[t->record]);
        for (uint32_t i = 0; i < t->n && rc == SQLITE_OK; i++)
            rc = bind(s, stmt, ++at, &cells[t->columns[i].from], t->columns[i].text);
    }
    if (rc == SQLITE_OK)
        rc = s->texts.failed ? s->texts.failed : s->args.failed;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? TK_OK : fail(s, err);
}

static int rows(void *self, const struct tk_table *table, const struct tk_rows *batch, struct tk_err *err)
{
    struct tk_sqlite *s = self;
    const struct target *t = NULL;
    int rc = TK_OK;
    for (size_t i = 0; i < s->targets.n; i++)
        if (s->targets.v[i].table == table)
            t = &s->targets.v[i];
    if (!t)
        return tk_err_set(err, TK_EUSAGE, "rows of table '%s' come before it begins", table->name);
    for (size_t i = 0; i < batch->n && rc == TK_OK;) {
        const bool many = batch->n - i >= ROWS_AT_ONCE;
        const unsigned n = many ? ROWS_AT_ONCE : 1;
        rc = insert(s, t, many ? t->many : t->one, batch->cells + i * table->n_columns, n, err);
        i += n;
    }
    return rc;
}

struct tk_sink tk_sqlite_sink(struct tk_sqlite *db)
{
    return (struct tk_sink){.self = db, .begin = begin, .rows = rows};
}

/* ---- the end ---- */

static int make_views(struct tk_sqlite *s)
{
    const char *sql = tk_sqlite_views;
    while (*sql) {
        const char *rest = sql;
        sqlite3_stmt *stmt = NULL;
        if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, &rest) != SQLITE_OK || rest == sql)
            return -1;
        if (stmt && sqlite3_step(stmt) != SQLITE_DONE) {
            sqlite3_finalize(stmt);
            return -1;
        }
        sqlite3_finalize(stmt);
        sql = rest;
    }
    return 0;
}

static const char indexes[] =
    "CREATE INDEX IF NOT EXISTS scopes_start ON _scopes(start);"
    "CREATE INDEX IF NOT EXISTS scopes_thread ON _scopes(capture_id, thread_id, start);"
    "CREATE INDEX IF NOT EXISTS gpu_scopes_queue ON _gpu_scopes(capture_id, queue_id, start);"
    "CREATE INDEX IF NOT EXISTS scopes_timer ON _scopes(timer_ref);"
    "CREATE INDEX IF NOT EXISTS string_text ON string(text);";

int tk_sqlite_commit(struct tk_sqlite *s, struct tk_err *err)
{
    int rc = make_views(s) ? fail(s, err) : TK_OK;
    if (rc == TK_OK && s->opt.index)
        rc = run(s, indexes, err);
    if (rc == TK_OK)
        rc = run(s, "COMMIT", err);
    for (size_t i = 0; i < s->targets.n; i++) {
        sqlite3_finalize(s->targets.v[i].one);
        sqlite3_finalize(s->targets.v[i].many);
        s->targets.v[i].one = s->targets.v[i].many = NULL;
    }
    tk_sqlite_args_release(&s->args);
    tk_sqlite_texts_release(&s->texts);
    if (rc == TK_OK && sqlite3_close(s->db) != SQLITE_OK)
        rc = fail(s, err);
    else if (rc == TK_OK)
        s->db = NULL;
    if (rc == TK_OK && s->beside) {
        rc = tk_beside_commit(s->beside, s->opt.path, s->opt.force, err);
        if (rc == TK_OK) {
            free(s->beside);
            s->beside = NULL;
        }
    }
    tk_sqlite_discard(s);
    return rc;
}

void tk_sqlite_discard(struct tk_sqlite *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->targets.n; i++) {
        sqlite3_finalize(s->targets.v[i].one);
        sqlite3_finalize(s->targets.v[i].many);
        free(s->targets.v[i].columns);
    }
    tk_vec_release(&s->targets);
    tk_sqlite_args_release(&s->args);
    tk_sqlite_texts_release(&s->texts);
    /* closing rolls back what was not committed */
    sqlite3_close(s->db);
    if (s->beside)
        tk_beside_remove(s->beside);
    tk_buffer_release(&s->sql);
    tk_buffer_release(&s->scratch);
    free(s->beside);
    free(s);
}
