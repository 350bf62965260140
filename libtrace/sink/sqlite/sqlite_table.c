/*
 * Inserts rows into a table of the database: the prepared statements, and the conversion of cells. sqlite.c
 * calls it for each batch of rows.
 */
#include "sink/sqlite/sqlite_table.h"

#include "sink/encode/json_text.h"
#include "sink/sqlite/sqlite_schema.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 50 };

int tk_sqlite_capture_open(struct tk_sqlite_capture *c, sqlite3 *db)
{
    c->db = db;
    int rc = tk_sqlite_texts_open(&c->texts, db);
    if (rc == SQLITE_OK)
        rc = tk_sqlite_args_open(&c->args, db, &c->texts, c->id);
    if (rc == SQLITE_OK && (tk_buffer_init(&c->sql, NULL, NULL) || tk_buffer_init(&c->scratch, NULL, NULL)))
        rc = SQLITE_NOMEM;
    return rc;
}

void tk_sqlite_capture_release(struct tk_sqlite_capture *c)
{
    tk_sqlite_args_release(&c->args);
    tk_sqlite_texts_release(&c->texts);
    tk_buffer_release(&c->sql);
    tk_buffer_release(&c->scratch);
}

/* ---- statements ---- */

/* What `scopes` would say again for every scope. */
static bool is_left_out(const struct tk_table *table, const char *column)
{
    static const char *const names[] = {"thread", "kind", "file", "line"};
    for (size_t i = 0; strcmp(table->name, "scopes") == 0 && i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], column) == 0)
            return true;
    return false;
}

static int prepare_sqlite_table(struct tk_sqlite_capture *c, const struct tk_sqlite_table *t, unsigned rows,
                                sqlite3_stmt **out)
{
    c->sql.n = 0;
    tk_buffer_text(&c->sql, "INSERT INTO \"_");
    tk_buffer_text(&c->sql, t->table->name);
    tk_buffer_text(&c->sql, "\"(capture_id");
    tk_sqlite_schema_columns(c, t, false);
    tk_buffer_text(&c->sql, ")VALUES");
    for (unsigned r = 0; r < rows; r++) {
        tk_buffer_text(&c->sql, r ? ",(" : "(");
        tk_buffer_i64(&c->sql, c->id);
        for (uint32_t i = t->record == TK_SQLITE_NO_RECORD; i <= t->n; i++)
            tk_buffer_text(&c->sql, ",?");
        tk_buffer_char(&c->sql, ')');
    }
    if (c->sql.status < 0)
        return SQLITE_NOMEM;
    return sqlite3_prepare_v2(c->db, c->sql.p, (int)c->sql.n, out, NULL);
}

static int lay_out_sqlite_table(struct tk_sqlite_table *t, const struct tk_table *table, bool whole)
{
    *t = (struct tk_sqlite_table){.table = table,
                                  .columns = calloc(table->n_columns + 1u, sizeof *t->columns),
                                  .record = TK_SQLITE_NO_RECORD};
    if (!t->columns)
        return SQLITE_NOMEM;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        if (whole || !is_left_out(table, table->columns[i].name))
            t->columns[t->n++] = (struct tk_sqlite_column){i, table->columns[i].kind == TK_TEXT, false};
        if (table->columns[i].kind == TK_RECORD && t->record == TK_SQLITE_NO_RECORD)
            t->record = i;
    }
    return SQLITE_OK;
}

int tk_sqlite_table_create(struct tk_sqlite_capture *c, const struct tk_table *table)
{
    struct tk_sqlite_table t;
    int rc = lay_out_sqlite_table(&t, table, false);
    if (rc == SQLITE_OK)
        rc = tk_sqlite_schema_fit(c, &t, false);
    free(t.columns);
    return rc;
}

int tk_sqlite_table_open(struct tk_sqlite_table *t, struct tk_sqlite_capture *c, const struct tk_table *table)
{
    int rc = lay_out_sqlite_table(t, table, c->asked);
    if (rc == SQLITE_OK)
        rc = tk_sqlite_schema_fit(c, t, true);
    if (rc == SQLITE_OK)
        rc = prepare_sqlite_table(c, t, 1, &t->one);
    return rc == SQLITE_OK ? prepare_sqlite_table(c, t, ROWS_AT_ONCE, &t->many) : rc;
}

void tk_sqlite_table_release(struct tk_sqlite_table *t)
{
    sqlite3_finalize(t->one);
    sqlite3_finalize(t->many);
    free(t->columns);
}

/* ---- rows ---- */

static int bind_composed(struct tk_sqlite_capture *to, sqlite3_stmt *stmt, int at, const struct tk_cell *c)
{
    struct tk_buffer clean;
    to->scratch.n = 0;
    if (tk_buffer_init_scratch(&clean, &to->scratch))
        return SQLITE_NOMEM;
    tk_json_value(&to->scratch, &clean, c, TK_UNIT_NS);
    tk_buffer_release(&clean);
    if (to->scratch.status < 0)
        return SQLITE_NOMEM;
    return sqlite3_bind_text(stmt, at, to->scratch.p, (int)to->scratch.n, SQLITE_TRANSIENT);
}

static int bind(struct tk_sqlite_capture *to, sqlite3_stmt *stmt, int at, const struct tk_cell *c, bool text)
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
            return sqlite3_bind_int64(stmt, at, tk_sqlite_texts_number(&to->texts, c));
        return sqlite3_bind_text(stmt, at, c->v.p, (int)c->n, SQLITE_TRANSIENT);
    case TK_BYTES:
        return sqlite3_bind_blob64(stmt, at, c->n ? c->v.p : "", c->n, SQLITE_TRANSIENT);
    case TK_ARRAY:
    case TK_LIST:
    case TK_RECORD:
        return bind_composed(to, stmt, at, c);
    default:
        return sqlite3_bind_int64(stmt, at, c->v.i);
    }
}

/* The number of the arguments of a row. */
static int bind_args(struct tk_sqlite_capture *to, sqlite3_stmt *stmt, int at, const struct tk_cell *c)
{
    return c->kind == TK_RECORD ? sqlite3_bind_int64(stmt, at, tk_sqlite_args_add(&to->args, c->v.p))
                                : sqlite3_bind_null(stmt, at);
}

static int insert(struct tk_sqlite_capture *to, const struct tk_sqlite_table *t, sqlite3_stmt *stmt,
                  const struct tk_cell *cells, unsigned rows)
{
    int rc = SQLITE_OK, at = 0;
    for (unsigned r = 0; r < rows; r++, cells += t->table->n_columns) {
        if (t->record != TK_SQLITE_NO_RECORD && rc == SQLITE_OK)
            rc = bind_args(to, stmt, ++at, &cells[t->record]);
        for (uint32_t i = 0; i < t->n && rc == SQLITE_OK; i++) {
            const struct tk_cell *c = &cells[t->columns[i].from];
            rc = bind(to, stmt, ++at, c, t->columns[i].text);
            t->columns[i].beyond |= (c->kind == TK_UINT || c->kind == TK_SIZE) && c->v.u > INT64_MAX;
        }
    }
    if (rc == SQLITE_OK)
        rc = to->texts.failed ? to->texts.failed : to->args.failed;
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    sqlite3_reset(stmt);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

int tk_sqlite_table_insert(const struct tk_sqlite_table *t, struct tk_sqlite_capture *c,
                           const struct tk_rows *batch)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < batch->n && rc == SQLITE_OK;) {
        const bool many = batch->n - i >= ROWS_AT_ONCE;
        const unsigned n = many ? ROWS_AT_ONCE : 1;
        rc = insert(c, t, many ? t->many : t->one, batch->cells + i * t->table->n_columns, n);
        i += n;
    }
    return rc;
}
