/*
 * Creates the views over several tables, and the indexes, when all tables are there. sqlite.c calls it at the
 * end.
 */
#include "sink/sqlite/sqlite_views.h"

#include <stdio.h>

/* Made of schemas/views.sql. */
extern const char tk_sqlite_views[];

int tk_sqlite_views_make(sqlite3 *db)
{
    const char *sql = tk_sqlite_views;
    while (*sql) {
        const char *rest = sql;
        sqlite3_stmt *stmt = NULL;
        if (sqlite3_prepare_v2(db, sql, -1, &stmt, &rest) != SQLITE_OK || rest == sql)
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

static const struct {
    const char *name, *table, *columns;
} indexes[] = {
    {"scopes_start", "_scopes", "start"},
    {"scopes_thread", "_scopes", "capture_id, thread_id, start"},
    {"gpu_scopes_queue", "_gpu_scopes", "capture_id, queue_id, start"},
    {"scopes_timer", "_scopes", "timer_ref"},
    {"string_text", "string", "text"},
};

int tk_sqlite_indexes_make(sqlite3 *db)
{
    for (size_t i = 0; i < sizeof indexes / sizeof *indexes; i++) {
        char sql[128];
        snprintf(sql, sizeof sql, "CREATE INDEX IF NOT EXISTS %s ON %s(%s)", indexes[i].name,
                 indexes[i].table, indexes[i].columns);
        if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
            return -1;
    }
    return 0;
}
