/*
 * Databases as SQLite reads them: numbers beyond its own, and names of threads. Worked out by hand.
 */
#include "api/captured.h"
#include "api/put.h"
#include "cpu.h"

#include <sqlite3.h>

/* Adds the capture to a database. */
static void export_to(struct captured *c, const char *path, const char *table, bool append)
{
    const char *const tables[] = {table};
    struct tk_query q = TK_INIT(struct tk_query);
    struct tk_export_options opt = TK_INIT(struct tk_export_options);
    struct tk_options options = TK_INIT(struct tk_options);
    struct tk_trace *trace = NULL;
    q.tables = tables;
    q.n_tables = table != NULL;
    opt.format = "sqlite";
    opt.path = path;
    opt.append = append;
    ck_assert_int_eq(tk_open(&trace, c->path, &options, &c->err), TK_OK);
    const int rc = tk_export_run(trace, &q, &opt, &c->err);
    ck_assert_msg(rc == TK_OK, "%d: %s", rc, c->err.text[0]);
    tk_close(trace);
}

/* What SQLite answers: columns with '|' between them, a line a row. */
static const char *answer(const char *path, const char *sql)
{
    static char text[4096];
    size_t n = 0;
    sqlite3 *db;
    sqlite3_stmt *stmt;
    text[0] = 0;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
    while (sqlite3_step(stmt) == SQLITE_ROW)
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *value = (const char *)sqlite3_column_text(stmt, i);
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%c", value ? value : "(null)",
                                  i + 1 < sqlite3_column_count(stmt) ? '|' : '\n');
            ck_assert_uint_lt(n, sizeof text);
        }
    ck_assert_int_eq(sqlite3_finalize(stmt), SQLITE_OK);
    sqlite3_close(db);
    return text;
}

static struct captured *make_tasks(uint64_t first)
{
    struct captured *c = captured_new(7);
    struct put_type *launched =
        put_new(c, "TaskTrace.Launched",
                "Timestamp:q TaskId:q DebugName:w Tracked:b ThreadToExecuteOn:j TaskSize:q", TK_UW_AUX);
    put(c, 0, launched, Q(2000), Q(first), "First", Q(1), Q(0), Q(0));
    put(c, 0, launched, Q(2001), Q(first + 1), "Second", Q(1), Q(0), Q(0));
    captured_close(c);
    free(launched);
    return c;
}

/* SQLite has no unsigned numbers of 64 bits: the views show those as texts. */
START_TEST(ids_beyond_sqlite)
{
    char path[80];
    struct captured *small = make_tasks(7), *large = make_tasks((UINT64_C(1) << 63) - 1);
    snprintf(path, sizeof path, "%s.db", small->path);
    export_to(small, path, "task_rows", false);
    ck_assert_str_eq(answer(path, "select task_id, typeof(task_id), task from task_rows"),
                     "7|integer|First\n"
                     "8|integer|Second\n");
    export_to(large, path, "task_rows", true);
    ck_assert_str_eq(answer(path, "select task_id, typeof(task_id), task from task_rows"),
                     "7|integer|First\n"
                     "8|integer|Second\n"
                     "9223372036854775807|integer|First\n"
                     "9223372036854775808|text|Second\n");
    unlink(path);
    captured_free(small);
    captured_free(large);
}
END_TEST

static struct captured *make_scopes(void)
{
    struct captured *c = captured_new(7);
    struct tk_uw_cpu cpu[2];
    tk_uw_cpu_spec(&c->uw, 1, "Work", "A.cpp", 1);
    for (unsigned i = 0; i < 2; i++) {
        tk_uw_thread_info(&c->uw, 2 + i, 1002 + i, 0, i ? "Worker" : "Game");
        tk_uw_cpu_init(&cpu[i], &c->uw, &c->lanes[i], 3);
        tk_uw_cpu_begin(&cpu[i], 2000 + i, 1);
        tk_uw_cpu_end(&cpu[i], 2010);
        tk_uw_cpu_flush(&cpu[i]);
    }
    captured_close(c);
    return c;
}

START_TEST(scopes_have_names_of_threads)
{
    const char *const sql = "select capture_id, thread, dur from scopes order by 1, 3";
    char path[80];
    struct captured *c = make_scopes(), *more = make_tasks(1);
    snprintf(path, sizeof path, "%s.db", c->path);
    export_to(c, path, NULL, false);
    ck_assert_str_eq(answer(path, sql), "1|Worker|9000000\n1|Game|10000000\n");
    export_to(more, path, NULL, true);
    ck_assert_str_eq(answer(path, sql), "1|Worker|9000000\n1|Game|10000000\n");
    unlink(path);
    captured_free(c);
    captured_free(more);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {ids_beyond_sqlite, scopes_have_names_of_threads};
    return RUN_TESTS("databases", tests);
}
