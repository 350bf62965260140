/*
 * What Perfetto's SQL has beyond SQLite's: ancestor_slice(id) and descendant_slice(id), the slices around a
 * slice, or in it, and extract_arg(set, key).
 *
 * The first two are virtual tables that run a statement over the views of schemas/views.sql, by the number of
 * the scope, so that rows are looked up and not gone through.
 */
#include "base/hash.h"
#include "base/vec.h"
#include "sql/sql_in.h"
#include "sql/tables/connection.h"

#include <stdlib.h>

/* Those of the view `slice`. */
#define COLUMNS                                                                                              \
    "id, ts, dur, track_id, category, name, depth, parent_id, arg_set_id, thread_ts, thread_dur, capture_id"

enum { N_COLUMNS = 12 };

/* What an id has beyond the number of its scope: the capture; of a negative one all bits are inverted. */
enum { CAPTURE_SHIFT = 56 };

static const char declaration[] =
    "CREATE TABLE x(id INTEGER, ts INTEGER TIME, dur INTEGER DURATION, track_id INTEGER, category TEXT, "
    "name TEXT, depth INTEGER, parent_id INTEGER, arg_set_id INTEGER, thread_ts INTEGER, thread_dur INTEGER, "
    "capture_id INTEGER, start_id INTEGER HIDDEN)";

/* ?1 is the number of the capture, ?2 that of the scope. */
static const char around[] =
    "WITH RECURSIVE up AS (SELECT * FROM %s WHERE capture_id = ?1 AND scope_id = ?2"
    " UNION ALL SELECT s.* FROM up JOIN %s s ON s.capture_id = ?1 AND s.scope_id = up.parent)"
    " SELECT " COLUMNS " FROM up WHERE scope_id <> ?2 ORDER BY depth";
static const char within[] =
    "WITH RECURSIVE top AS MATERIALIZED (SELECT ts, CASE WHEN dur < 0 THEN 9223372036854775807 ELSE ts + dur "
    "END AS till"
    " FROM %s WHERE capture_id = ?1 AND scope_id = ?2),"
    " near AS MATERIALIZED (SELECT * FROM %s WHERE capture_id = ?1 AND ts >= (SELECT ts FROM top)"
    " AND ts <= (SELECT till FROM top)),"
    " down AS (SELECT * FROM near WHERE parent = ?2 UNION ALL SELECT s.* FROM down JOIN near s ON s.parent = "
    "down.scope_id)"
    " SELECT " COLUMNS " FROM down ORDER BY ts, depth";

static const struct tk_sql_slice_function {
    const char *name, *sql;
} functions[] = {{"ancestor_slice", around}, {"descendant_slice", within}};

struct slice_table {
    sqlite3_vtab base; /* the first member */
    sqlite3 *db;
    const char *sql;
};

struct slice_cursor {
    sqlite3_vtab_cursor base; /* the first member */
    sqlite3_stmt *stmt;       /* owned; NULL: of no slice */
    sqlite3_int64 id, row;
    bool end;
};

static int connect_slices(sqlite3 *db, void *ctx, int argc, const char *const *argv, sqlite3_vtab **out,
                          char **message)
{
    const struct tk_sql_slice_function *function = ctx;
    (void)argc;
    (void)argv;
    (void)message;
    struct slice_table *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t)
        return SQLITE_NOMEM;
    const int rc = sqlite3_declare_vtab(db, declaration);
    if (rc != SQLITE_OK) {
        free(t);
        return rc;
    }
    t->db = db;
    t->sql = function->sql;
    *out = &t->base;
    return SQLITE_OK;
}

static int disconnect_slices(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

/* The slice has to be known. */
static int best_slices(sqlite3_vtab *base, sqlite3_index_info *info)
{
    (void)base;
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != N_COLUMNS ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || !info->aConstraint[i].usable)
            continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 1000;
        info->estimatedRows = 10;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

static int open_slices(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
    struct slice_cursor *cur = calloc(1, sizeof *cur);
    (void)base;
    *out = cur ? &cur->base : NULL;
    return cur ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_slices(sqlite3_vtab_cursor *base)
{
    struct slice_cursor *cur = (struct slice_cursor *)base;
    sqlite3_finalize(cur->stmt);
    free(cur);
    return SQLITE_OK;
}

static int fail_slices(sqlite3_vtab *base, int rc)
{
    struct slice_table *t = (struct slice_table *)base;
    sqlite3_free(t->base.zErrMsg);
    t->base.zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(t->db));
    return rc;
}

static int next_slice(sqlite3_vtab_cursor *base)
{
    struct slice_cursor *cur = (struct slice_cursor *)base;
    const int rc = sqlite3_step(cur->stmt);
    cur->row++;
    cur->end = rc != SQLITE_ROW;
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : fail_slices(cur->base.pVtab, rc);
}

static int begin_slices(struct slice_cursor *cur, const struct slice_table *t)
{
    const bool gpu = cur->id < 0;
    const sqlite3_int64 id = gpu ? ~cur->id : cur->id;
    const char *view = gpu ? "_queue_slice" : "_thread_slice";
    char *sql = sqlite3_mprintf(t->sql, view, view);
    int rc = sql ? sqlite3_prepare_v2(t->db, sql, -1, &cur->stmt, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(cur->stmt, 1, (id >> CAPTURE_SHIFT) + 1);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(cur->stmt, 2, id & ((INT64_C(1) << CAPTURE_SHIFT) - 1));
    return rc;
}

static int filter_slices(sqlite3_vtab_cursor *base, int number, const char *plan, int argc,
                         sqlite3_value **argv)
{
    struct slice_cursor *cur = (struct slice_cursor *)base;
    (void)number;
    (void)plan;
    sqlite3_finalize(cur->stmt);
    cur->stmt = NULL;
    cur->row = 0;
    cur->end = argc != 1 || sqlite3_value_type(argv[0]) != SQLITE_INTEGER;
    if (cur->end)
        return SQLITE_OK;
    cur->id = sqlite3_value_int64(argv[0]);
    const int rc = begin_slices(cur, (const struct slice_table *)base->pVtab);
    return rc == SQLITE_OK ? next_slice(base) : fail_slices(base->pVtab, rc);
}

static int eof_slices(sqlite3_vtab_cursor *base)
{
    return ((const struct slice_cursor *)base)->end;
}

static int column_slices(sqlite3_vtab_cursor *base, sqlite3_context *to, int i)
{
    const struct slice_cursor *cur = (const struct slice_cursor *)base;
    if (i == N_COLUMNS)
        sqlite3_result_int64(to, cur->id);
    else
        sqlite3_result_value(to, sqlite3_column_value(cur->stmt, i));
    return SQLITE_OK;
}

static int rowid_slices(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
    *out = ((const struct slice_cursor *)base)->row;
    return SQLITE_OK;
}

/* Without xCreate: they are there by their names alone. */
static const sqlite3_module module = {.iVersion = 1,
                                      .xConnect = connect_slices,
                                      .xBestIndex = best_slices,
                                      .xDisconnect = disconnect_slices,
                                      .xOpen = open_slices,
                                      .xClose = close_slices,
                                      .xFilter = filter_slices,
                                      .xNext = next_slice,
                                      .xEof = eof_slices,
                                      .xColumn = column_slices,
                                      .xRowid = rowid_slices};

/* ---- arguments ---- */

/* Values of one key by their set: slices of one timer share theirs. NULL: the set has no such key. */
struct found_args {
    struct tk_map places;
    TK_VEC(sqlite3_value *) values; /* owned; an element may be NULL */
};

enum { MOST_SETS = 1 << 16 };

static void release_found(struct found_args *found)
{
    for (size_t i = 0; i < found->values.n; i++)
        sqlite3_value_free(found->values.v[i]);
    tk_vec_release(&found->values);
    tk_map_release(&found->places);
}

static void free_found(void *found)
{
    release_found(found);
    free(found);
}

/* Owned by the statement that calls. NULL if out of memory. */
static struct found_args *found_of(sqlite3_context *to)
{
    struct found_args *found = sqlite3_get_auxdata(to, 1);
    if (found && found->values.n >= MOST_SETS) {
        release_found(found);
        *found = (struct found_args){0};
    }
    if (found || !(found = calloc(1, sizeof *found)))
        return found;
    sqlite3_set_auxdata(to, 1, found, free_found);
    return sqlite3_get_auxdata(to, 1);
}

/* SQLITE_OK, with the value or NULL, or what failed. */
static int look_up(sqlite3 *db, sqlite3_int64 set, sqlite3_value *key, sqlite3_value **out)
{
    sqlite3_stmt *stmt = NULL;
    *out = NULL;
    int rc = sqlite3_prepare_v2(db,
                                "SELECT coalesce(string_value, int_value, real_value) FROM args"
                                " WHERE arg_set_id = ?1 AND key = ?2 LIMIT 1",
                                -1, &stmt, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(stmt, 1, set);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_value(stmt, 2, key);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(stmt);
    if (rc == SQLITE_ROW && !(*out = sqlite3_value_dup(sqlite3_column_value(stmt, 0))))
        rc = SQLITE_NOMEM;
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int keep_found(struct found_args *found, sqlite3_int64 set, sqlite3_value *value)
{
    if (tk_vec_push(&found->values, value))
        return -1;
    tk_map_put(&found->places, (uint64_t)set, (uint32_t)found->values.n - 1); /* else it is looked up again */
    return 0;
}

static void put_arg(sqlite3_context *to, int n, sqlite3_value **v)
{
    sqlite3 *db = sqlite3_context_db_handle(to);
    sqlite3_value *value = NULL;
    (void)n;
    if (sqlite3_value_type(v[0]) != SQLITE_INTEGER || sqlite3_value_type(v[1]) != SQLITE_TEXT)
        return;
    const sqlite3_int64 set = sqlite3_value_int64(v[0]);
    struct found_args *found = found_of(to); /* NULL also where the key is no constant */
    const uint32_t place = found ? tk_map_get(&found->places, (uint64_t)set) : TK_MAP_NONE;
    if (place != TK_MAP_NONE) {
        if (found->values.v[place])
            sqlite3_result_value(to, found->values.v[place]);
        return;
    }
    const int rc = look_up(db, set, v[1], &value);
    if (rc == SQLITE_NOMEM)
        sqlite3_result_error_nomem(to);
    else if (rc != SQLITE_OK)
        sqlite3_result_error(to, sqlite3_errmsg(db), -1);
    else if (value)
        sqlite3_result_value(to, value);
    if (rc != SQLITE_OK || !found || keep_found(found, set, value))
        sqlite3_value_free(value);
}

int tk_sql_perfetto_register(sqlite3 *db)
{
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof functions / sizeof *functions && rc == SQLITE_OK; i++) {
        union {
            const struct tk_sql_slice_function *function;
            void *data;
        } data = {.function = &functions[i]};
        rc = sqlite3_create_module_v2(db, functions[i].name, &module, data.data, NULL);
    }
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(db, "extract_arg", 2, SQLITE_UTF8, NULL, put_arg, NULL, NULL, NULL);
    return rc;
}
