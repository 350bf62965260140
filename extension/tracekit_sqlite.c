/*
 * The loadable extension for SQLite: tracekit.so. It stands on libtrace/sql, which is compiled once more for
 * it.
 *
 *     .load tracekit
 *     SELECT tracekit_open('game.utrace');                 all tables and views, as temporary ones
 *     CREATE VIRTUAL TABLE t USING tracekit('game.utrace', 'timers');
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "os/path.h"
#include "sql/sql_in.h"
#include "sql/tables/connection.h"

#include <stdio.h>
#include <string.h>

static void free_connection(void *connection)
{
    tk_sql_connection_free(connection);
}

static void answer_error(sqlite3_context *to, const struct tk_err *err, int status)
{
    if (status == TK_ENOMEM)
        sqlite3_result_error_nomem(to);
    else
        sqlite3_result_error(to, err->n ? err->text[err->n - 1] : "it cannot be opened", -1);
}

/* SQLite has no way for a warning to reach the caller. */
static void note_to_user(void *ctx, const char *text)
{
    (void)ctx;
    fprintf(stderr, "tracekit: %s\n", text);
}

/* Is the file among those that share the tables? */
static bool is_shared(const struct tk_sql_group *group, const char *path)
{
    struct tk_os_info info, other;
    if (!group || tk_os_path_info(path, &info).error)
        return false;
    for (size_t i = 0; i < group->sources.n; i++)
        if (!tk_os_path_info(group->sources.v[i]->path, &other).error && tk_os_is_same(&info, &other))
            return true;
    return false;
}

/* The captures that share the temporary tables; made with the first. A file is there once. */
static int add_shared(struct tk_sql_connection *c, const char *path, struct tk_err *err)
{
    struct tk_sql_group *group = c->groups.n ? c->groups.v[0] : NULL;
    const bool first = !group || group->sources.n == 0;
    if (is_shared(group, path))
        return TK_OK;
    int rc = group ? TK_OK : tk_sql_group_new(&group, c, "temp", err);
    if (rc == TK_OK)
        rc = tk_sql_source_add(NULL, group, path, err);
    return rc == TK_OK && first ? tk_sql_module_fill(c, 0, true, err) : rc;
}

static int attach(sqlite3 *db, const char *name, struct tk_err *err)
{
    char *sql = sqlite3_mprintf("ATTACH ':memory:' AS \"%w\"", name);
    int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK ? TK_OK : tk_err_set(err, TK_EUSAGE, "schema '%s': %s", name, sqlite3_errmsg(db));
}

static int add_named(struct tk_sql_connection *c, const char *path, const char *name, struct tk_err *err)
{
    struct tk_sql_group *group;
    int rc = c->groups.n ? TK_OK : tk_sql_group_new(&group, c, "temp", err); /* the first is the shared one */
    if (rc == TK_OK)
        rc = attach(c->db, name, err);
    if (rc == TK_OK)
        rc = tk_sql_group_new(&group, c, name, err);
    if (rc == TK_OK)
        rc = tk_sql_source_add(NULL, group, path, err);
    return rc == TK_OK ? tk_sql_module_fill(c, c->groups.n - 1, false, err) : rc;
}

/* Can the file be opened? Better said now than by each table. */
static int try_source(struct tk_sql_connection *c, const char *path, struct tk_err *err)
{
    struct tk_trace *trace = NULL;
    if (tk_baseline_is(path) == 1)
        return TK_OK;
    int rc = tk_open(&trace, path, &c->options, err);
    tk_close(trace);
    return rc;
}

/* tracekit_open(path [, schema]): the path. */
static void open_capture(sqlite3_context *to, int n, sqlite3_value **v)
{
    struct tk_sql_connection *c = sqlite3_user_data(to);
    const char *path = (const char *)sqlite3_value_text(v[0]);
    const char *name = n > 1 ? (const char *)sqlite3_value_text(v[1]) : NULL;
    struct tk_err err = {0};
    if (!path || (n > 1 && !name)) {
        sqlite3_result_error(to, "tracekit_open(path [, schema]) takes texts", -1);
        return;
    }
    if (strlen(path) != (size_t)sqlite3_value_bytes(v[0]) ||
        (name && strlen(name) != (size_t)sqlite3_value_bytes(v[1]))) {
        sqlite3_result_error(to, "tracekit_open(path [, schema]): a name cannot contain a NUL", -1);
        return;
    }
    int rc = try_source(c, path, &err);
    if (rc == TK_OK)
        rc = name ? add_named(c, path, name, &err) : add_shared(c, path, &err);
    if (rc < 0)
        answer_error(to, &err, rc);
    else
        sqlite3_result_value(to, v[0]);
}

static void put_version(sqlite3_context *to, int n, sqlite3_value **v)
{
    (void)n;
    (void)v;
    sqlite3_result_text(to, TK_VERSION, -1, SQLITE_STATIC);
}

static int register_all(sqlite3 *db, struct tk_sql_connection *c)
{
    const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
    int rc = tk_sql_module_register(c);
    if (rc == SQLITE_OK)
        rc = tk_sql_module_register_files(db);
    if (rc == SQLITE_OK)
        rc = tk_sql_functions_register(db);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(db, "tracekit_open", 1, flags, c, open_capture, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_create_function_v2(db, "tracekit_open", 2, flags, c, open_capture, NULL, NULL, NULL);
    /* The last one: what frees the connection. */
    return rc == SQLITE_OK ? sqlite3_create_function_v2(db, "tracekit_version", 0, SQLITE_UTF8, c,
                                                        put_version, NULL, NULL, free_connection)
                           : rc;
}

__attribute__((visibility("default"))) int sqlite3_tracekit_init(sqlite3 *db, char **message,
                                                                 const sqlite3_api_routines *api);

int sqlite3_tracekit_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    struct tk_sql_connection *c;
    struct tk_err err = {0};
    SQLITE_EXTENSION_INIT2(api);
    if (sqlite3_libversion_number() < TK_SQL_REPORTED) {
        *message = sqlite3_mprintf("tracekit needs SQLite 3.38 or newer, this is %s", sqlite3_libversion());
        return SQLITE_ERROR;
    }
    if (tk_sql_connection_new(&c, db, NULL, &err) < 0)
        return SQLITE_NOMEM;
    c->note = note_to_user;
    c->warns = true;
    return register_all(db, c);
}
