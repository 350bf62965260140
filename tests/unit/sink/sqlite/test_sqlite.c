/*
 * The sink: what SQLite reads from a database that it has written, and from one that was added to. Worked out
 * by hand.
 */
#include "sink/sqlite/sqlite.h"
#include "twin_tables.h"

enum { LONG_TEXT = 100000 };

static const struct tk_column numbers_columns[] = {{.name = "whole", .kind = TK_INT},
                                                   {.name = "large", .kind = TK_UINT},
                                                   {.name = "real", .kind = TK_REAL},
                                                   {.name = "text", .kind = TK_TEXT}},
                              bytes_columns[] = {{.name = "bytes", .kind = TK_BYTES},
                                                 {.name = "list", .kind = TK_LIST}};
static const struct tk_table numbers = {.name = "numbers", .columns = numbers_columns, .n_columns = 4},
                             some_bytes = {.name = "some_bytes", .columns = bytes_columns, .n_columns = 2};

static char path[256], long_text[LONG_TEXT];
static struct tk_sqlite *writing;
static struct tk_sink sink;

static void begin(void)
{
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/tracekit-sink-%ld.db", dir ? dir : "/tmp", (long)getpid());
    unlink(path);
    memset(long_text, 'x', sizeof long_text);
}

static void end(void)
{
    unlink(path);
}

static void open_sink(uint64_t content, bool append)
{
    const struct tk_sqlite_options opt = {.path = path, .content = content, .append = append};
    struct tk_err err = {0};
    ck_assert_msg(tk_sqlite_open(&writing, &opt, &err) == TK_OK, "%s", err.text[0]);
    sink = tk_sqlite_sink(writing);
}

static void put(const struct tk_table *table, const struct tk_cell *cells)
{
    const struct tk_rows rows = {.n = 1, .cells = cells};
    ck_assert_int_eq(sink.rows(sink.self, table, &rows, NULL), TK_OK);
}

/* Rows of both tables in turns. */
static void put_some(int64_t first, unsigned n)
{
    const struct tk_cell elements[] = {{.kind = TK_INT, .v.i = 1}, {.kind = TK_BOOL, .v.u = 1}};
    ck_assert_int_eq(sink.begin(sink.self, &numbers, NULL), TK_OK);
    ck_assert_int_eq(sink.begin(sink.self, &some_bytes, NULL), TK_OK);
    for (unsigned i = 0; i < n; i++) {
        const struct tk_cell cells[] = {
            {.kind = TK_INT, .v.i = first - i},
            {.kind = TK_UINT, .v.u = UINT64_MAX - i},
            {.kind = TK_REAL, .v.r = i / 2.0},
            {.kind = i % 3 ? TK_TEXT : TK_NONE, .v.p = long_text, .n = i % 3 == 1 ? LONG_TEXT : 3}};
        const struct tk_cell more[] = {{.kind = TK_BYTES, .v.p = "\0\xff", .n = i % 3},
                                       {.kind = TK_LIST, .v.p = elements, .n = 2}};
        put(&numbers, cells);
        put(&some_bytes, more);
    }
    ck_assert_int_eq(sink.end(sink.self, &numbers, NULL), TK_OK);
    ck_assert_int_eq(sink.end(sink.self, &some_bytes, NULL), TK_OK);
}

static void check_requested(const char *sql, const char *answer)
{
    sqlite3 *db;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_str_eq(ask_sql(db, sql), answer);
    sqlite3_close(db);
}

static void check_first_capture(void)
{
    check_requested("PRAGMA integrity_check", "ok");
    check_requested(
        "SELECT count(*) || ' ' || min(whole) || ' ' || max(whole) FROM numbers WHERE capture_id = 1",
        "3000 -2999 0");
    check_requested(
        "SELECT group_concat(DISTINCT typeof(real)) || ' ' || sum(real) FROM _numbers WHERE capture_id = 1",
        "real 2249250.0");
    check_requested("SELECT large FROM numbers WHERE capture_id = 1 AND whole = -2999",
                    "18446744073709548616");
    check_requested("SELECT count(text) || ' ' || sum(length(text)) FROM numbers WHERE capture_id = 1",
                    "2000 100003000");
    check_requested("SELECT hex(bytes) || ' ' || list FROM _some_bytes WHERE rowid = 3", "00FF [1,true]");
    check_requested("SELECT typeof(bytes) || length(bytes) FROM _some_bytes WHERE rowid = 1", "blob0");
    check_requested("SELECT count(*) FROM string", "2");
}

START_TEST(new_database)
{
    open_sink(1, false);
    put_some(0, 3000);
    ck_assert_int_eq(tk_sqlite_commit(writing, NULL), TK_OK);
    check_first_capture();
}
END_TEST

START_TEST(added_to)
{
    open_sink(1, false);
    put_some(0, 3000);
    ck_assert_int_eq(tk_sqlite_commit(writing, NULL), TK_OK);
    open_sink(2, true);
    put_some(7, 120);
    ck_assert_int_eq(tk_sqlite_commit(writing, NULL), TK_OK);
    check_requested(
        "SELECT count(*) || ' ' || max(whole) || ' ' || sum(real) || ' ' || count(text) FROM numbers "
        "WHERE capture_id = 2",
        "120 7 3570.0 80");
    check_requested("SELECT count(*) FROM some_bytes", "3120");
}
END_TEST

/* Of a table whose rows are pages there is no second part. */
START_TEST(begins_twice)
{
    struct tk_err err = {0};
    open_sink(1, false);
    put_some(0, 10);
    ck_assert_int_eq(sink.begin(sink.self, &numbers, &err), TK_EUSAGE);
    tk_sqlite_discard(writing);
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {new_database, added_to, begins_twice};
    return RUN_TESTS_AROUND("databases", tests, begin, end);
}
