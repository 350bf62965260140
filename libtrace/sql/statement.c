/*
 * Runs statements and hands on their rows.
 */
#include "base/arena.h"
#include "sql/sql_in.h"
#include "sql/tables/shape.h"
#include "tracekit/sql.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The authorizer.
 */

static bool is_one_of(const char *name, const char *const *list)
{
    for (; name && *list; list++)
        if (sqlite3_stricmp(name, *list) == 0)
            return true;
    return false;
}

static const char *const pragmas[] = {"table_info",    "table_xinfo",    "table_list",      "database_list",
                                      "function_list", "collation_list", "compile_options", NULL};

/* Functions that compare each part of one text with all parts of another one. */
static bool is_slow(const char *name)
{
    return name && (sqlite3_stricmp(name, "json_patch") == 0 || sqlite3_strnicmp(name, "geopoly_", 8) == 0);
}

/* Does it make or change what is gone with the connection? */
static bool is_temporary(int action, const char *schema)
{
    switch (action) {
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_VIEW:
    case SQLITE_CREATE_TEMP_INDEX:
    case SQLITE_DROP_TEMP_TABLE:
    case SQLITE_DROP_TEMP_VIEW:
    case SQLITE_DROP_TEMP_INDEX:
        return true;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_REINDEX:
        return schema && sqlite3_stricmp(schema, "temp") == 0;
    default:
        return false;
    }
}

static int authorize(void *ctx, int action, const char *one, const char *two, const char *schema,
                     const char *cause)
{
    static const char *const functions[] = {"load_extension", "fts3_tokenizer", "readfile",
                                            "writefile",      "edit",           NULL};
    const struct tk_sql_connection *c = ctx;
    (void)cause;
    if (c->declaring)
        return SQLITE_OK;
    if (!c->bounded && is_temporary(action, schema))
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_one_of(two, functions) || (c->bounded && is_slow(two)) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return is_one_of(one, pragmas) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Tables that SQLite makes when they are named first, which it may not do any more then. */
static void make_known(sqlite3 *db)
{
    static const char *const tables[] = {"json_each('[]')", "json_tree('[]')", "ancestor_slice(0)",
                                         "descendant_slice(0)", NULL};
    for (size_t i = 0; pragmas[i]; i++) {
        char *sql = sqlite3_mprintf("SELECT 1 FROM pragma_%s LIMIT 0", pragmas[i]);
        if (sql)
            sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
    for (size_t i = 0; tables[i]; i++) {
        char *sql = sqlite3_mprintf("SELECT 1 FROM %s LIMIT 0", tables[i]);
        if (sql)
            sqlite3_exec(db, sql, NULL, NULL, NULL);
        sqlite3_free(sql);
    }
}

void tk_sql_authorize(struct tk_sql_connection *c)
{
    make_known(c->db);
    sqlite3_set_authorizer(c->db, authorize, c);
}

enum { FIRST_BATCH = 16, BATCH = 1024, NAME = 24 };

/* The rows of one statement on their way to a sink. */
struct answer {
    struct tk_sql_connection *c;
    sqlite3_stmt *stmt;
    const struct tk_sink *sink;
    struct tk_table table;
    struct tk_column *columns; /* owned */
    struct tk_cell *cells;     /* owned */
    uint8_t *declared;         /* kinds of columns that are declared; owned */
    struct tk_arena texts;     /* names of columns */
    struct tk_arena values;    /* texts of the cells */
    char name[NAME];
    size_t n, batch;
    bool begun;
};

/* ---- columns ---- */

/* Names that are there already get a number: an object of JSON has each once. */
static const char *column_name(struct answer *a, int i)
{
    const char *name = sqlite3_column_name(a->stmt, i);
    const char *tried = name ? name : "";
    for (unsigned k = 2;; k++) {
        int j = 0;
        while (j < i && strcmp(a->columns[j].name, tried) != 0)
            j++;
        if (j == i)
            break;
        char *longer = tk_arena_bytes(&a->texts, strlen(name) + 16);
        if (!longer)
            return NULL;
        snprintf(longer, strlen(name) + 16, "%s_%u", name, k);
        tried = longer;
    }
    return tk_arena_copy(&a->texts, tried, strlen(tried) + 1);
}

/* What is declared, and what functions are of. */
static int find_kinds(struct answer *a, const char *sql, size_t length, struct tk_err *err)
{
    const int n = sqlite3_column_count(a->stmt);
    const int status = a->c->status;
    a->declared = calloc((size_t)n + 1, 1);
    if (!a->declared)
        return tk_err_nomem(err, "an answer");
    for (int i = 0; i < n; i++) {
        const char *declared = sqlite3_column_decltype(a->stmt, i);
        a->columns[i].kind = a->declared[i] = (uint8_t)tk_sql_shape_kind(declared);
        a->columns[i].unit = tk_sql_shape_unit(declared);
    }
    tk_sql_result_kinds(a->c, sql, length, a->columns, n);
    a->c->status = status;
    return TK_OK;
}

static int describe_columns(struct answer *a, const char *sql, size_t length, struct tk_err *err)
{
    const int n = sqlite3_column_count(a->stmt);
    a->columns = calloc((size_t)n + 1, sizeof *a->columns);
    a->cells = calloc((size_t)n * BATCH + 1, sizeof *a->cells);
    if (!a->columns || !a->cells)
        return tk_err_nomem(err, "an answer");
    for (int i = 0; i < n; i++) {
        a->columns[i].name = column_name(a, i);
        a->columns[i].help = "";
        if (!a->columns[i].name)
            return tk_err_nomem(err, "an answer");
    }
    a->table = (struct tk_table){
        .name = a->name, .help = "rows of a statement", .columns = a->columns, .n_columns = (uint32_t)n};
    return find_kinds(a, sql, length, err);
}

/* Do values or declarations tell the kinds of all columns? */
static bool are_kinds_reported(const struct answer *a)
{
    for (uint32_t i = 0; i < a->table.n_columns; i++)
        if (a->declared[i] == TK_NONE && !tk_sql_result_says(a->cells + i, a->n, a->table.n_columns))
            return false;
    return true;
}

/* What the declarations do not say, the first rows do. */
static int begin_answer(struct answer *a, struct tk_err *err)
{
    for (uint32_t i = 0; i < a->table.n_columns; i++)
        a->columns[i].kind =
            (uint8_t)tk_sql_result_kind(a->cells + i, a->n, a->table.n_columns,
                                        (enum tk_kind)a->columns[i].kind, a->declared[i] == TK_NONE);
    a->begun = true;
    return a->sink->begin ? a->sink->begin(a->sink->self, &a->table, err) : TK_OK;
}

/* ---- rows ---- */

static int flush_answer(struct answer *a, struct tk_err *err)
{
    int rc = a->begun ? TK_OK : begin_answer(a, err);
    const struct tk_rows rows = {.n = a->n, .cells = a->cells};
    a->n = 0;
    if (rc == TK_OK && rows.n && a->sink->rows)
        rc = a->sink->rows(a->sink->self, &a->table, &rows, err);
    tk_arena_clear(&a->values);
    return rc;
}

/* Rows are held back while one of their columns may be of any kind. */
static int end_batch(struct answer *a, struct tk_err *err)
{
    const size_t longer = a->batch < BATCH ? a->batch * 2 : BATCH;
    const bool hold = !a->begun && a->batch < BATCH && !are_kinds_reported(a);
    a->batch = longer;
    return hold ? TK_OK : flush_answer(a, err);
}

static int add_row(struct answer *a, struct tk_err *err)
{
    struct tk_cell *cells = a->cells + a->n * a->table.n_columns;
    for (uint32_t i = 0; i < a->table.n_columns; i++)
        if (tk_sql_result_cell(&cells[i], &a->values, a->stmt, (int)i, a->columns[i].kind) < 0)
            return tk_err_nomem(err, "an answer");
    return ++a->n < a->batch ? TK_OK : end_batch(a, err);
}

/* ---- one statement ---- */

static int step_answer(struct answer *a, const char *text, struct tk_err *err)
{
    int rc = TK_OK, code = SQLITE_ROW;
    while (rc == TK_OK && (code = sqlite3_step(a->stmt)) == SQLITE_ROW)
        rc = add_row(a, err);
    if (rc == TK_OK && code != SQLITE_DONE)
        rc = tk_sql_statement_fail(a->c, text, NULL, err);
    if (rc == TK_OK)
        rc = tk_sql_requested_end(a->c, err);
    if (rc == TK_OK && a->table.n_columns)
        rc = flush_answer(a, err);
    if (rc == TK_OK && a->begun && a->sink->end)
        rc = a->sink->end(a->sink->self, &a->table, err);
    return rc;
}

/* sql[0..length) is the statement, in text. */
static int answer(struct tk_sql_connection *c, sqlite3_stmt *stmt, const char *text, const char *sql,
                  size_t length, unsigned number, const struct tk_sink *sink, struct tk_err *err)
{
    struct answer a = {.c = c, .stmt = stmt, .sink = sink, .batch = FIRST_BATCH};
    snprintf(a.name, sizeof a.name, number > 1 ? "result_%u" : "result", number);
    int rc = describe_columns(&a, sql, length, err);
    if (rc == TK_OK)
        rc = step_answer(&a, text, err);
    free(a.columns);
    free(a.cells);
    free(a.declared);
    tk_arena_release(&a.texts);
    tk_arena_release(&a.values);
    return rc;
}

static int explain(struct tk_sql_connection *c, sqlite3_stmt *stmt, const char *text, unsigned number,
                   const struct tk_sink *sink, struct tk_err *err)
{
    int code = SQLITE_DONE;
    const int rc = tk_sql_plan_text(stmt, number, sink, &code, err);
    return rc == TK_OK && code != SQLITE_DONE ? tk_sql_statement_fail(c, text, NULL, err) : rc;
}

/* ---- all statements ---- */

/* Behind spaces, comments and empty statements. */
static const char *skip_blank(const char *p)
{
    const char *end = p + strlen(p);
    for (p = tk_sql_skip_space(p, end); *p == ';';)
        p = tk_sql_skip_space(p + 1, end);
    return p;
}

static const char include[] = "INCLUDE PERFETTO MODULE";

/* Has the statement that begins at p no rows? */
static bool has_no_rows(const char *p)
{
    static const char *const words[] = {include, "CREATE ", "DROP ", "INSERT ", "UPDATE ", "DELETE ", NULL};
    for (size_t i = 0; words[i]; i++)
        if (sqlite3_strnicmp(p, words[i], (int)strlen(words[i])) == 0)
            return true;
    return false;
}

size_t tk_sql_statements(const char *text, bool *ended)
{
    if (!text || !ended)
        return 0;
    const char *end = text + strlen(text), *p = tk_sql_skip_space(text, end);
    size_t n = 0;
    bool open = false;
    *ended = false;
    for (; p < end; p = tk_sql_skip_space(tk_sql_token_end(p, end), end)) {
        if (*p != ';' && !open)
            n += !has_no_rows(p);
        *ended = *p == ';' && (open || *ended);
        open = *p != ';';
    }
    return n;
}

static bool begins(const char *p, const char *with)
{
    return sqlite3_strnicmp(p, with, (int)strlen(with)) == 0;
}

/* What Perfetto's SQL has beyond SQLite's: modules, whose views are there already, are passed over; its
 * tables and views are temporary ones, for which the text is changed in place. */
static int pass_perfetto(char *text, const char **at, struct tk_err *err)
{
    static const char create[] = "CREATE PERFETTO", temporary[] = "CREATE TEMP    ";
    if (begins(*at, "CREATE PERFETTO TABLE") || begins(*at, "CREATE PERFETTO VIEW"))
        memcpy(text + (*at - text), temporary, sizeof temporary - 1);
    else if (begins(*at, create) || begins(*at, "CREATE OR REPLACE PERFETTO"))
        return tk_err_set(err, TK_EUSAGE,
                          "functions, macros and indexes of Perfetto cannot be created here, and nothing is "
                          "replaced: use CREATE TEMP TABLE, CREATE TEMP VIEW, or WITH name AS (...)");
    if (!begins(*at, include))
        return TK_OK;
    *at += strcspn(*at, ";");
    return TK_ITEM;
}

static int run_one(struct tk_sql_connection *c, const char *text, const char **at, bool plan,
                   unsigned *number, const struct tk_sink *sink, struct tk_err *err)
{
    sqlite3_stmt *stmt = NULL;
    const char *rest = NULL;
    plan = plan && !has_no_rows(*at); /* later statements read what it makes */
    char *explained = plan ? sqlite3_mprintf("EXPLAIN QUERY PLAN %s", *at) : NULL;
    const char *sql = plan ? explained : *at;
    int rc = TK_OK;
    c->status = TK_OK;
    c->n_requested = 0;
    if (!sql)
        return tk_err_nomem(err, "a statement");
    if (sqlite3_prepare_v2(c->db, sql, -1, &stmt, &rest) != SQLITE_OK)
        rc = tk_sql_statement_fail(c, text, plan ? NULL : *at, err);
    else if (stmt && plan)
        rc = explain(c, stmt, text, ++*number, sink, err);
    else if (stmt)
        rc = answer(c, stmt, text, sql, (size_t)(rest - sql), *number += sqlite3_column_count(stmt) > 0, sink,
                    err);
    if (rc == TK_OK && stmt && !plan)
        rc = tk_sql_result_note(c, sql, (size_t)(rest - sql), err);
    sqlite3_finalize(stmt);
    *at += rest ? (size_t)(rest - sql) - (plan ? strlen("EXPLAIN QUERY PLAN ") : 0) : strlen(*at);
    sqlite3_free(explained);
    return rc;
}

int tk_sql_statement_run(struct tk_sql_connection *c, const char *text, bool plan, const struct tk_sink *sink,
                         struct tk_err *err)
{
    unsigned number = 0;
    int rc = TK_OK;
    char *own = sqlite3_mprintf("%s", text);
    if (!own)
        return tk_err_nomem(err, "a statement");
    for (const char *at = skip_blank(own); *at && rc >= 0; at = skip_blank(at)) {
        rc = pass_perfetto(own, &at, err);
        if (rc == TK_OK)
            rc = run_one(c, own, &at, plan, &number, sink, err);
    }
    sqlite3_free(own);
    return rc < 0 ? rc : TK_OK;
}
