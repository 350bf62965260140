/*
 * Values as records: SQLite reads from a page of ours what it reads from its own.
 */
#include "sink/sqlite/sqlite_in.h"
#include "twin_tables.h"

#include <math.h>

static const struct {
    enum tk_sqlite_affinity affinity;
    const char *type;
} columns[] = {{TK_SQLITE_AS_IS, NULL}, {TK_SQLITE_INTEGER, "INTEGER"}, {TK_SQLITE_REAL, "REAL"}};

enum { COLUMNS = sizeof columns / sizeof *columns };

/* Both signs of all powers of two, and what is alongside them. */
START_TEST(whole_numbers)
{
    struct twins *t = twins_new(4096, 1, columns[_i].type);
    int64_t row = 0;
    for (unsigned bit = 0; bit < 64; bit++)
        for (int offset = -2; offset <= 2; offset++)
            for (int sign = 0; sign < 2; sign++) {
                const uint64_t v = (UINT64_C(1) << bit) + (uint64_t)(int64_t)offset;
                twins_begin(t, ++row);
                twins_int(t, (int64_t)(sign ? -v : v), columns[_i].affinity);
                twins_end(t, row);
            }
    twins_check(t);
    twins_free(t);
}
END_TEST

START_TEST(real_numbers)
{
    static const double some[] = {0.0,
                                  -0.0,
                                  0.5,
                                  -1.5,
                                  1e300,
                                  -1e-300,
                                  5e-324,
                                  INFINITY,
                                  NAN,
                                  0.1,
                                  1.7976931348e308,
                                  0x1p53,
                                  0x1p62,
                                  -INFINITY,
                                  -0x1p63,
                                  0x1p63,
                                  0x1.fffffffffffffp62};
    struct twins *t = twins_new(4096, 1, columns[_i].type);
    int64_t row = 0;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        twins_begin(t, ++row);
        twins_real(t, some[i], columns[_i].affinity);
        twins_end(t, row);
    }
    for (int bit = 0; bit < 66; bit++)
        for (int offset = -1; offset <= 1; offset++)
            for (int sign = -1; sign <= 1; sign += 2) {
                twins_begin(t, ++row);
                twins_real(t, sign * (ldexp(1, bit) + offset), columns[_i].affinity);
                twins_end(t, row);
            }
    twins_check(t);
    twins_free(t);
}
END_TEST

/* With NUL inside, of no length, and what is no UTF-8. */
START_TEST(texts_and_bytes)
{
    static const struct {
        const char *p;
        size_t n;
    } some[] = {
        {"", 0}, {"a", 1}, {"a\0b", 3}, {"\0", 1}, {"\xff\xfe\xc0", 3}, {"\xc3\xa4\xf0\x9f\x99\x82", 6}};
    struct twins *t = twins_new(4096, 2, NULL);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        twins_begin(t, (int64_t)i);
        twins_bytes(t, some[i].p, some[i].n, true);
        twins_bytes(t, some[i].p, some[i].n, false);
        twins_end(t, (int64_t)i);
    }
    twins_check(t);
    twins_free(t);
}
END_TEST

/* The length of the types counts itself: it has two bytes from 127 columns on. */
START_TEST(many_columns)
{
    static const int counts[] = {1, 125, 126, 127, 128, 129, 300, 1990};
    struct twins *t = twins_new(4096, counts[_i], NULL);
    for (int64_t row = 1; row < 4; row++) {
        twins_begin(t, row);
        for (int i = 0; i < counts[_i]; i++)
            if ((i + row) % 3)
                twins_int(t, i * row, TK_SQLITE_AS_IS);
            else
                twins_null(t);
        twins_end(t, row);
    }
    twins_check(t);
    twins_free(t);
}
END_TEST

/* Values that are bound instead of written are the same ones. */
START_TEST(bound_values)
{
    struct twins *t = twins_new(4096, 6, NULL);
    char sql[] = "INSERT INTO ours VALUES(?,?,?,?,?,?)";
    sqlite3_stmt *stmt;
    ck_assert_int_eq(sqlite3_prepare_v2(t->db, sql, -1, &stmt, NULL), SQLITE_OK);
    for (int64_t row = 1; row < 63; row++) {
        twins_begin(t, row);
        twins_int(t, INT64_C(1) << row, TK_SQLITE_AS_IS);
        twins_int(t, -(INT64_C(1) << (row - 1)), TK_SQLITE_AS_IS);
        twins_real(t, 0.5 * (double)row, TK_SQLITE_AS_IS);
        twins_null(t);
        twins_bytes(t, "a\0longer text, of which a part is taken, and for some rows none at all", (size_t)row,
                    true);
        twins_bytes(t, "\xff\0", (size_t)row % 3, false);
        int at = 1;
        ck_assert_int_eq(tk_sqlite_record_bind(&t->record, stmt, &at), SQLITE_OK);
        ck_assert_int_eq(at, 7);
        ck_assert_int_eq(sqlite3_step(stmt), SQLITE_DONE);
        sqlite3_reset(stmt);
        ck_assert_int_eq(sqlite3_step(t->insert), SQLITE_DONE);
        sqlite3_reset(t->insert);
    }
    sqlite3_finalize(stmt);
    twins_same(t, t->db);
    twins_free(t);
}
END_TEST

static const unsigned page_sizes[] = {512, 1024, 4096, 32768, 65536};

enum { PAGE_SIZES = sizeof page_sizes / sizeof *page_sizes };

static void add_numbers(struct twins *t, int64_t from, int64_t to)
{
    for (int64_t row = from; row <= to; row++) {
        twins_begin(t, row);
        twins_int(t, row * row - 5000, TK_SQLITE_AS_IS);
        twins_end(t, row);
    }
}

/* Levels of pages, the root counted, down the first child of each. */
static unsigned count_levels(const char *path, uint32_t root, uint32_t size)
{
    unsigned levels = 1;
    uint8_t *page = malloc(size);
    FILE *f = fopen(path, "rb");
    for (uint32_t number = root;; levels++) {
        ck_assert_int_eq(fseek(f, (long)(number - 1) * (long)size, SEEK_SET), 0);
        ck_assert_uint_eq(fread(page, 1, size, f), size);
        if (page[0] != 5)
            break;
        number = tk_btree_get32(page + tk_btree_get16(page + 12));
    }
    fclose(f);
    free(page);
    return levels;
}

START_TEST(few_rows)
{
    for (int64_t rows = 0; rows < 4; rows++) {
        struct twins *t = twins_new(page_sizes[_i], 1, NULL);
        add_numbers(t, 1, rows);
        twins_check(t);
        ck_assert_str_eq(ask_sql(t->db, "PRAGMA page_count"), "2");
        twins_free(t);
    }
}
END_TEST

/* A page of 512 bytes has some 45 of these rows, or 70 children: where a page of a level becomes full, where
 * the next one begins, and where a third level does. */
START_TEST(every_number_of_rows)
{
    for (int64_t rows = 40 + _i; rows < 8000; rows += rows < 200                   ? 10
                                                      : rows < 2800 || rows > 3800 ? 110
                                                                                   : 10) {
        struct twins *t = twins_new(512, 1, NULL);
        add_numbers(t, 1, rows);
        twins_check(t);
        twins_free(t);
    }
}
END_TEST

START_TEST(several_levels)
{
    struct twins *t = twins_new(512, 1, NULL);
    const uint32_t root = t->tree.root;
    run_sql(t->db, "BEGIN");
    run_sql(t->db, "COMMIT");
    add_numbers(t, 1, 400000);
    twins_check(t);
    ck_assert_uint_ge(count_levels(t->path, root, 512), 4);
    twins_free(t);
}
END_TEST

/* What does not fit in a leaf: from which length on, how much of it stays there, and full last pages. */
START_TEST(long_rows)
{
    struct twins *t = twins_new(page_sizes[_i], 2, NULL);
    const size_t size = page_sizes[_i], most = 5 * size + 100;
    char *text = malloc(most);
    int64_t row = 0;
    for (size_t i = 0; i < most; i++)
        text[i] = (char)(i * 31 % 251);
    for (size_t n = 0; n < most; n += n % size < 20 || n % size > size - 70 || size <= 1024 ? 1 : size / 61) {
        twins_begin(t, ++row);
        twins_int(t, row, TK_SQLITE_AS_IS);
        twins_bytes(t, text, n, row & 1);
        twins_end(t, row);
    }
    twins_check(t);
    twins_free(t);
    free(text);
}
END_TEST

/* Ids of rows as far apart as they can be. */
START_TEST(ids_of_rows)
{
    struct twins *t = twins_new(512, 1, NULL);
    for (int sign = -1; sign <= 1; sign += 2)
        for (int i = 0; i < 62 * 20; i++) {
            const int bit = sign < 0 ? 61 - i / 20 : i / 20;
            const int64_t spread = (INT64_C(1) << bit) / 20 * (i % 20);
            const int64_t row = sign < 0 ? -(INT64_C(1) << (bit + 1)) + spread : (INT64_C(1) << bit) + spread;
            if (bit < 5 || t->tree.last == row)
                continue;
            twins_begin(t, row);
            twins_int(t, i, TK_SQLITE_AS_IS);
            twins_end(t, row);
        }
    twins_begin(t, INT64_MAX);
    twins_null(t);
    twins_end(t, INT64_MAX);
    twins_check(t);
    twins_free(t);
}
END_TEST

/* SQLite never uses the page with the bytes that it locks, which is moved to where the test gets to it. */
START_TEST(locked_page)
{
    enum { SIZE = 512 };
    const uint32_t page = 8 + (uint32_t)_i % 40;
    const int before = sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, _i < 40 ? page * SIZE : 256 * SIZE);
    struct twins *t = twins_new(SIZE, 2, NULL);
    char text[6000];
    memset(text, 'x', sizeof text);
    t->pages.locked = _i < 40 ? page + 1 : 257;
    for (int64_t row = 1; row <= (_i < 40 ? 60 : 4000); row++) {
        twins_begin(t, row);
        twins_int(t, row, TK_SQLITE_AS_IS);
        twins_bytes(t, text, row % 7 == _i % 7 ? sizeof text : 10, true);
        twins_end(t, row);
    }
    twins_check(t);
    ck_assert_uint_gt(t->pages.count, t->pages.locked);
    twins_free(t);
    sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, before);
}
END_TEST

/* The page is at 1 GiB for each size of pages. */
START_TEST(where_the_locked_page_is)
{
    struct twins *t = twins_new(page_sizes[_i], 1, NULL);
    ck_assert_uint_eq((uint64_t)(t->pages.locked - 1) * page_sizes[_i], 1 << 30);
    t->pages.count = t->pages.locked - 2;
    ck_assert_uint_eq(tk_sqlite_pages_after(&t->pages, t->pages.count), t->pages.locked - 1);
    ck_assert_uint_eq(tk_sqlite_pages_after(&t->pages, t->pages.count + 1), t->pages.locked + 1);
    twins_free(t);
}
END_TEST

/* SQLite and we write in turns: tables and their indexes are made while others have rows. */
START_TEST(turns)
{
    struct twins *t = twins_new(1024, 1, NULL);
    struct tk_sqlite_tree second;
    add_numbers(t, 1, 3000);
    ck_assert_int_eq(tk_sqlite_pages_lend(&t->pages), SQLITE_OK);
    run_sql(t->db, "CREATE TABLE main.second(a, b);INSERT INTO second VALUES(1,'x');DELETE FROM second;"
                   "CREATE TABLE main.third(a);INSERT INTO third VALUES('of SQLite');");
    const char *root = ask_sql(t->db, "SELECT rootpage FROM sqlite_schema WHERE name = 'second'");
    tk_sqlite_tree_open(&second, &t->pages, (uint32_t)atoi(root));
    ck_assert_int_eq(tk_sqlite_pages_take(&t->pages), SQLITE_OK);
    for (int64_t row = 1; row <= 2000; row++) {
        add_numbers(t, 3000 + row, 3000 + row);
        tk_sqlite_record_int(&t->record, -row);
        ck_assert_int_eq(tk_sqlite_tree_add(&second, row, &t->record), SQLITE_OK);
    }
    ck_assert_int_eq(tk_sqlite_tree_finish(&second), SQLITE_OK);
    twins_check(t);
    ck_assert_str_eq(ask_sql(t->db, "SELECT sum(b) FROM second"), "-2001000");
    ck_assert_str_eq(ask_sql(t->db, "SELECT a FROM third"), "of SQLite");
    twins_free(t);
}
END_TEST

/* Afterwards it is a database as any other: SQLite changes and compacts it, and keeps a log. */
START_TEST(changed_by_sqlite)
{
    struct twins *t = twins_new(512, 1, NULL);
    add_numbers(t, 1, 20000);
    twins_check(t);
    static const char *const changes[] = {
        "CREATE INDEX main.by_value ON ours(c0)",
        "DELETE FROM %s WHERE rowid %% 3 = 0 OR rowid BETWEEN 5000 AND 9000",
        "INSERT INTO %s SELECT zeroblob(rowid %% 900) FROM %s",
        "UPDATE %s SET c0 = c0 || 'longer' WHERE rowid %% 50 = 1",
        "INSERT INTO %s(rowid, c0) SELECT rowid + 2, 7 FROM %s WHERE rowid IN (4990, 4993)",
        "VACUUM main",
        "PRAGMA main.journal_mode=WAL",
        "DELETE FROM %s WHERE rowid %% 2",
        "PRAGMA main.wal_checkpoint",
        "PRAGMA main.journal_mode=DELETE",
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        for (int theirs = 0; theirs < (strchr(changes[i], '%') ? 2 : 1); theirs++) {
            char sql[256];
            const char *table = theirs ? "theirs" : "ours";
            snprintf(sql, sizeof sql, changes[i], table, table);
            run_sql(t->db, sql);
        }
    twins_same(t, t->db);
    twins_free(t);
}
END_TEST

/* ---- failures ---- */

static int writes_left;

static int write_some(sqlite3_file *file, const void *p, int n, sqlite3_int64 at)
{
    (void)file, (void)p, (void)n, (void)at;
    return writes_left-- > 0 ? SQLITE_OK : SQLITE_FULL;
}

/* Whichever write fails, somebody is reported. */
START_TEST(full_disk)
{
    struct twins *t = twins_new(512, 1, NULL);
    const struct sqlite3_io_methods methods = {.iVersion = 1, .xWrite = write_some};
    sqlite3_file file = {&methods};
    char text[300 * 7] = "";
    int most = 0, rc = SQLITE_FULL;
    for (; rc == SQLITE_FULL; most++) {
        struct tk_sqlite_pages pages = t->pages;
        struct tk_sqlite_tree tree;
        pages.file = &file;
        writes_left = most;
        rc = SQLITE_OK;
        tk_sqlite_tree_open(&tree, &pages, 2);
        for (int64_t row = 1; row <= 300 && rc == SQLITE_OK; row++) {
            tk_sqlite_record_clear(&t->record);
            tk_sqlite_record_bytes(&t->record, text, (size_t)(row * 7), true);
            rc = tk_sqlite_tree_add(&tree, row, &t->record);
        }
        if (rc == SQLITE_OK)
            rc = tk_sqlite_tree_finish(&tree);
        tk_sqlite_tree_release(&tree);
        ck_assert_int_eq(rc, writes_left < 0 ? SQLITE_FULL : SQLITE_OK);
    }
    ck_assert_int_gt(most, 500);
    twins_free(t);
}
END_TEST

int main(void)
{
    const TTest *const by_column[] = {whole_numbers, real_numbers}, *const lengths[] = {many_columns},
                       *const others[] = {texts_and_bytes, bound_values};
    const TTest *const by_size[] = {few_rows, long_rows, where_the_locked_page_is},
                       *const repeated[] = {every_number_of_rows}, *const moved[] = {locked_page},
                       *const tables[] = {several_levels, ids_of_rows, turns, changed_by_sqlite, full_disk};
    int failed = RUN_TESTS_EACH("values by affinity", by_column, COLUMNS);
    failed |= RUN_TESTS_EACH("records of many values", lengths, 8);
    failed |= RUN_TESTS("values", others);
    failed |= RUN_TESTS_EACH("tables by size of pages", by_size, PAGE_SIZES);
    failed |= RUN_TESTS_EACH("tables of some rows", repeated, 3);
    failed |= RUN_TESTS_EACH("tables with a locked page", moved, 44);
    return failed | RUN_TESTS("tables", tables);
}
