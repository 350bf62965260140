/*
 * The functions of virtual tables that SQLite calls. What they do is in plan.c and cursor.c.
 */
#include "sql/tables/connection.h"
#include "sql/tables/tables_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * Virtual tables of what a connection knows itself: `string`, the texts that have numbers, `captures`, and
 * others that the views of an exported database name.
 */

enum listing { STRING, CAPTURES, RECORD_ARGS };

static const struct {
    const char *name, *sql;
} kinds[] = {
    [STRING] = {"string", "CREATE TABLE x(id INTEGER, text TEXT)"},
    [CAPTURES] = {"captures", "CREATE TABLE x(id INTEGER, name TEXT, path TEXT)"},
    [RECORD_ARGS] = {"record_args", "CREATE TABLE x(arg_set_id INTEGER, key_ref INTEGER, int_value INTEGER, "
                                    "string_value TEXT, real_value REAL, value_type TEXT)"},
};

struct listing_table {
    sqlite3_vtab base; /* the first member */
    struct tk_sql_connection *c;
    struct tk_sql_group *group;
    enum listing kind;
};

struct listing_cursor {
    sqlite3_vtab_cursor base; /* the first member */
    const struct listing_table *table;
    size_t at, end;
};

static int connect_listing(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **out,
                           char **message)
{
    struct tk_sql_connection *c = ctx;
    const size_t group = argc == 5 ? strtoull(argv[3], NULL, 10) : SIZE_MAX;
    (void)message;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && group < c->groups.n; i++) {
        if (strcmp(kinds[i].name, argv[4]) != 0)
            continue;
        struct listing_table *t = calloc(1, sizeof *t);
        if (!t)
            return SQLITE_NOMEM;
        t->c = c;
        t->group = c->groups.v[group];
        t->kind = (enum listing)i;
        *out = &t->base;
        c->declaring = true;
        const int rc = sqlite3_declare_vtab(db, kinds[i].sql);
        c->declaring = false;
        return rc;
    }
    return SQLITE_ERROR;
}

static int disconnect_listing(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

/* The place of an equality on a column that can be used, or -1. */
static int equality(const sqlite3_index_info *info, int column)
{
    for (int i = 0; i < info->nConstraint; i++)
        if (info->aConstraint[i].iColumn == column && info->aConstraint[i].usable &&
            info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ)
            return i;
    return -1;
}

static int best_listing(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct listing_table *t = (const struct listing_table *)base;
    if (t->kind != STRING) {
        info->estimatedRows = (sqlite3_int64)t->group->sources.n;
        info->estimatedCost = (double)t->group->sources.n + 1;
        return SQLITE_OK;
    }
    const int id = equality(info, 0), text = equality(info, 1), at = id >= 0 ? id : text;
    if (at < 0)
        return SQLITE_CONSTRAINT;
    info->aConstraintUsage[at].argvIndex = 1;
    info->idxNum = id < 0;
    info->estimatedRows = 1;
    info->estimatedCost = 1;
    info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
    return SQLITE_OK;
}

static int open_listing(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct listing_cursor *cur = calloc(1, sizeof *cur);
    if (!cur)
        return SQLITE_NOMEM;
    cur->table = (const struct listing_table *)base;
    *out = &cur->base;
    return SQLITE_OK;
}

static int close_listing(sqlite3_vtab_cursor *base)
{
    free(base);
    return SQLITE_OK;
}

/* The number of the text that is requested; 0: there is none. */
static int64_t number_requested(struct tk_sql_connection *c, bool by_text, sqlite3_value *value)
{
    if (!by_text)
        return sqlite3_value_type(value) == SQLITE_INTEGER && tk_sql_text_of(c, sqlite3_value_int64(value))
                   ? sqlite3_value_int64(value)
                   : 0;
    if (sqlite3_value_type(value) != SQLITE_TEXT)
        return 0;
    const void *p = sqlite3_value_text(value);
    const struct tk_str *text =
        p ? tk_intern(&c->texts, p, (size_t)sqlite3_value_bytes(value), TK_ENC_UTF8) : NULL;
    return text ? tk_sql_number_of(c, text) : 0;
}

static int filter_listing(sqlite3_vtab_cursor *base, int by_text, const char *plan, int argc,
                          sqlite3_value **argv)
{
    struct listing_cursor *cur = (struct listing_cursor *)base;
    (void)plan;
    cur->at = 0;
    cur->end = cur->table->kind == CAPTURES ? cur->table->group->sources.n : 0;
    if (argc == 1) {
        const int64_t number = number_requested(cur->table->c, by_text, argv[0]);
        cur->at = number ? (size_t)number - 1 : 0;
        cur->end = number ? (size_t)number : 0;
    }
    return SQLITE_OK;
}

static int next_listing(sqlite3_vtab_cursor *base)
{
    ((struct listing_cursor *)base)->at++;
    return SQLITE_OK;
}

static int eof_listing(sqlite3_vtab_cursor *base)
{
    const struct listing_cursor *cur = (const struct listing_cursor *)base;
    return cur->at >= cur->end;
}

static int column_listing(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
    const struct listing_cursor *cur = (const struct listing_cursor *)base;
    if (i == 0) {
        sqlite3_result_int64(to, (sqlite3_int64)cur->at + 1);
    } else if (cur->table->kind == STRING) {
        const struct tk_str *text = tk_sql_text_of(cur->table->c, (int64_t)cur->at + 1);
        const struct tk_sql_value value = {text->enc == TK_ENC_UTF8 ? TK_SQL_TEXT : TK_SQL_BLOB, {.s = text}};
        tk_sql_value_put(to, &value);
    } else {
        const struct tk_sql_source *s = cur->table->group->sources.v[cur->at];
        sqlite3_result_text(to, i == 1 ? s->name : s->path, -1, SQLITE_STATIC);
    }
    return SQLITE_OK;
}

static int rowid_listing(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = (sqlite3_int64)((const struct listing_cursor *)base)->at + 1;
    return SQLITE_OK;
}

static const sqlite3_module module = {.iVersion = 1,
                                      .xCreate = connect_listing,
                                      .xConnect = connect_listing,
                                      .xBestIndex = best_listing,
                                      .xDisconnect = disconnect_listing,
                                      .xDestroy = disconnect_listing,
                                      .xOpen = open_listing,
                                      .xClose = close_listing,
                                      .xFilter = filter_listing,
                                      .xNext = next_listing,
                                      .xEof = eof_listing,
                                      .xColumn = column_listing,
                                      .xRowid = rowid_listing};

/* CREATE VIRTUAL TABLE t USING tracekit_listing(GROUP, string|captures|record_args|meta|run_info). SQLITE_OK
 * or what failed. */
static int tk_sql_listings_register(struct tk_sql_connection *c)
{
    return sqlite3_create_module_v2(c->db, "tracekit_listing", &module, c, NULL);
}

/* ---- creating ---- */

/* The text of an argument without its quotes; to be freed. */
static char *unquote(const char *argument)
{
    size_t n = strlen(argument), to = 0;
    char *text = malloc(n + 1);
    const char quote = *argument == '\'' || *argument == '"' ? *argument : '\0';
    if (!text)
        return NULL;
    for (size_t i = quote ? 1 : 0; i < n; i++) {
        if (quote && argument[i] == quote && argument[++i] != quote)
            break;
        text[to++] = argument[i];
    }
    text[to] = '\0';
    return text;
}

static void free_table_sql(struct tk_sql_table *t)
{
    for (size_t i = 0; i < t->seen.n; i++)
        free(t->seen.v[i].key);
    tk_vec_release(&t->seen);
    tk_sql_shape_release(&t->shape);
    if (t->owns)
        tk_sql_connection_free(t->c);
    free(t);
}

static int declare(sqlite3 *db, const struct tk_sql_shape *shape)
{
    char *sql = tk_sql_shape_declare(shape);
    int rc = sql ? sqlite3_declare_vtab(db, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc;
}

static int make_table(sqlite3 *db, struct tk_sql_table *t, const char *name, const char *flavour,
                      char **message)
{
    struct tk_err err = {0};
    const enum tk_sql_flavour kind = strcmp(flavour, "physical") == 0 ? TK_SQL_PHYSICAL : TK_SQL_PLAIN;
    int rc = tk_sql_shape_make(&t->shape, name, kind, t->group->sources.n > 1, &err);
    if (rc < 0)
        return tk_sql_failed(t->c, rc, &err, message);
    t->c->declaring = true;
    rc = declare(db, &t->shape);
    t->c->declaring = false;
    if (rc != SQLITE_OK)
        *message = sqlite3_mprintf("table '%s': %s", name, sqlite3_errmsg(db));
    return rc;
}

static int connect_group(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **out,
                         char **message)
{
    struct tk_sql_connection *c = ctx;
    struct tk_sql_table *t = calloc(1, sizeof *t);
    const size_t group = argc == 6 ? strtoull(argv[3], NULL, 10) : SIZE_MAX;
    *out = NULL;
    if (!t)
        return SQLITE_NOMEM;
    t->c = c;
    int rc = SQLITE_ERROR;
    if (group < c->groups.n) {
        t->group = c->groups.v[group];
        rc = make_table(db, t, argv[4], argv[5], message);
    }
    if (rc != SQLITE_OK)
        free_table_sql(t);
    else
        *out = &t->base;
    return rc;
}

/* A connection for one table, of the file that is named. */
static int own_connection(struct tk_sql_table *t, sqlite3 *db, const char *path, struct tk_err *err)
{
    int rc = tk_sql_connection_new(&t->c, db, NULL, err);
    t->owns = rc == TK_OK;
    if (rc == TK_OK)
        rc = tk_sql_group_new(&t->group, t->c, "main", err);
    return rc == TK_OK ? tk_sql_source_add(NULL, t->group, path, err) : rc;
}

static int connect_named(sqlite3 *db, struct tk_sql_table *t, const char *path, const char *name,
                         char **message)
{
    struct tk_err err = {0};
    if (!path || !name)
        return SQLITE_NOMEM;
    int rc = own_connection(t, db, path, &err);
    if (rc < 0)
        return SQLITE_NOMEM;
    rc = make_table(db, t, name, "plain", message);
    /* A file is opened for what the SQL of a program says, not for what a database holds. */
    return rc == SQLITE_OK ? sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY) : rc;
}

static int connect_file(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **out,
                        char **message)
{
    struct tk_sql_table *t = calloc(1, sizeof *t);
    (void)ctx;
    *out = NULL;
    if (!t)
        return SQLITE_NOMEM;
    if (argc != 5) {
        *message = sqlite3_mprintf(
            "tracekit takes a file and the name of a table: tracekit('game.utrace', 'timers')");
        free(t);
        return SQLITE_ERROR;
    }
    char *path = unquote(argv[3]), *name = unquote(argv[4]);
    int rc = connect_named(db, t, path, name, message);
    free(path);
    free(name);
    if (rc != SQLITE_OK)
        free_table_sql(t);
    else
        *out = &t->base;
    return rc;
}

static int disconnect(sqlite3_vtab *base)
{
    free_table_sql((struct tk_sql_table *)base);
    return SQLITE_OK;
}

/* ---- planning ---- */

/* Rows of a big table, by the size of its files: as many as there may be. */
static uint64_t guess_rows(const struct tk_sql_table *t)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < t->group->sources.n; i++)
        bytes += t->group->sources.v[i]->known ? t->group->sources.v[i]->info.size : 1 << 20;
    return bytes / 8 + 10000;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct tk_sql_table *t = (const struct tk_sql_table *)base;
    return tk_sql_plan_make(&t->shape, info, guess_rows(t), t->c->no_push);
}

/* ---- reading ---- */

static int open_cursor(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct tk_sql_cursor *cur = calloc(1, sizeof *cur);
    if (!cur)
        return SQLITE_NOMEM;
    cur->table = (struct tk_sql_table *)base;
    cur->plan.group = UINT32_MAX;
    cur->reading.handle = SIZE_MAX;
    if (cur->table->c->cursors++ == 0)
        cur->table->c->statement++;
    *out = &cur->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
    struct tk_sql_cursor *cur = (struct tk_sql_cursor *)base;
    cur->table->c->cursors--;
    tk_sql_cursor_release(cur);
    free(cur);
    return SQLITE_OK;
}

static int reported(struct tk_sql_cursor *cur, int rc, const struct tk_err *err)
{
    return rc < 0 ? tk_sql_failed(cur->table->c, rc, err, &cur->table->base.zErrMsg) : SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *base, int number, const char *plan, int argc, sqlite3_value **argv)
{
    struct tk_sql_cursor *cur = (struct tk_sql_cursor *)base;
    struct tk_err err = {0};
    (void)number;
    return reported(cur, tk_sql_cursor_begin(cur, plan, argc, argv, &err), &err);
}

static int next(sqlite3_vtab_cursor *base)
{
    struct tk_sql_cursor *cur = (struct tk_sql_cursor *)base;
    struct tk_err err = {0};
    return reported(cur, tk_sql_cursor_next(cur, &err), &err);
}

static int eof(sqlite3_vtab_cursor *base)
{
    return ((struct tk_sql_cursor *)base)->end;
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
    struct tk_sql_cursor *cur = (struct tk_sql_cursor *)base;
    struct tk_err err = {0};
    return reported(cur, tk_sql_cursor_answer(cur, (uint32_t)i, to, &err), &err);
}

static int rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = tk_sql_cursor_rowid((struct tk_sql_cursor *)base);
    return SQLITE_OK;
}

#define READING                                                                                              \
    .xBestIndex = best_index, .xDisconnect = disconnect, .xDestroy = disconnect, .xOpen = open_cursor,       \
    .xClose = close_cursor, .xFilter = filter, .xNext = next, .xEof = eof, .xColumn = column,                \
    .xRowid = rowid

static const sqlite3_module group_module = {
    .iVersion = 1, .xCreate = connect_group, .xConnect = connect_group, READING};
static const sqlite3_module file_module = {
    .iVersion = 1, .xCreate = connect_file, .xConnect = connect_file, READING};

int tk_sql_module_register(struct tk_sql_connection *c)
{
    int rc = sqlite3_create_module_v2(c->db, "tracekit_group", &group_module, c, NULL);
    return rc == SQLITE_OK ? tk_sql_listings_register(c) : rc;
}

int tk_sql_module_register_files(sqlite3 *db)
{
    return sqlite3_create_module_v2(db, "tracekit", &file_module, NULL, NULL);
}
