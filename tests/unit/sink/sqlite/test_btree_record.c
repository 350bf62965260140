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

int main(void)
{
    const TTest *const by_column[] = {whole_numbers, real_numbers}, *const lengths[] = {many_columns},
                       *const others[] = {texts_and_bytes, bound_values};
    int failed = RUN_TESTS_EACH("values by affinity", by_column, COLUMNS);
    failed |= RUN_TESTS_EACH("records of many values", lengths, 8);
    return failed | RUN_TESTS("values", others);
}
