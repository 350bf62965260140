/*
 * Tables that are read from no capture. See listings.h.
 *
 * `string` has a row only for the value in question: a number finds its text, a text gets a number, so that
 * no statement depends on which texts were met before.
 */
#include "sql/tables/listings.h"

#include "sql/tables/cursor.h"

#include <stdlib.h>
#include <string.h>

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

/* The number of the text that is asked for; 0: there is none. */
static int64_t number_asked(struct tk_sql_connection *c, bool by_text, sqlite3_value *value)
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
        const int64_t number = number_asked(cur->table->c, by_text, argv[0]);
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

int tk_sql_listings_register(struct tk_sql_connection *c)
{
    return sqlite3_create_module_v2(c->db, "tracekit_listing", &module, c, NULL);
}
