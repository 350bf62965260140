/* Tests of tk_result_where(): rows that are kept already, chosen by conditions. */
#include "run.h"
#include "tracekit.h"

#include <string.h>

static const struct tk_column columns[] = {{"name", TK_TEXT, 0, NULL, "name"},
                                           {"count", TK_UINT, 0, NULL, "how many"}};
static const struct tk_table one = {.name = "one", .help = "a table", .columns = columns, .n_columns = 2};
static const struct tk_table other = {.name = "other", .help = "another", .columns = columns, .n_columns = 1};

static struct tk_cell text_cell(const char *s)
{
    return (struct tk_cell){.kind = TK_TEXT, .n = (uint32_t)strlen(s), .v.p = s};
}

/* Two tables: alpha 1, beta 2, gamma 3; and beta alone. */
static struct tk_result *kept(void)
{
    static const char *const names[] = {"alpha", "beta", "gamma"};
    struct tk_result *result;
    ck_assert_int_eq(tk_result_new(&result, NULL), TK_OK);
    const struct tk_sink sink = tk_result_sink(result);
    ck_assert_int_ge(sink.begin(sink.self, &one, NULL), 0);
    for (unsigned i = 0; i < 3; i++) {
        const struct tk_cell row[] = {text_cell(names[i]), {.kind = TK_UINT, .v.u = i + 1}};
        ck_assert_int_ge(sink.rows(sink.self, &one, &(struct tk_rows){.n = 1, .cells = row}, NULL), 0);
    }
    const struct tk_cell row[] = {text_cell("beta")};
    ck_assert_int_ge(sink.begin(sink.self, &other, NULL), 0);
    ck_assert_int_ge(sink.rows(sink.self, &other, &(struct tk_rows){.n = 1, .cells = row}, NULL), 0);
    return result;
}

static void count_kept(void *ctx, const char *table, uint64_t n, uint64_t rows)
{
    uint64_t *got = ctx;
    got[strcmp(table, "one") != 0] = n * 100 + rows;
}

static int where(struct tk_result *result, const char *const *conditions, size_t n, uint64_t got[2])
{
    struct tk_query query = TK_INIT(struct tk_query);
    query.where = conditions;
    query.n_where = n;
    query.filtered = got ? count_kept : NULL;
    query.filtered_ctx = got;
    return tk_result_where(result, &query, NULL);
}

static size_t rows_of(const struct tk_result *result, size_t table)
{
    size_t n;
    tk_result_table(result, table, &n);
    return n;
}

START_TEST(rows_that_meet_all)
{
    const char *const conditions[] = {"count>=2", "name~MM"}, *const named[] = {"name=beta"};
    struct tk_result *result = kept();
    uint64_t got[2] = {0};
    ck_assert_int_eq(tk_result_sort(result, 0, "count", true, NULL), TK_OK);
    ck_assert_int_eq(where(result, conditions, 1, got), TK_OK);
    ck_assert_uint_eq(got[0], 203); /* 2 of 3 rows; the other table has no such column, and stays as it is */
    ck_assert_uint_eq(got[1], 0);
    ck_assert_uint_eq(rows_of(result, 0), 2);
    ck_assert_uint_eq(rows_of(result, 1), 1);
    ck_assert_uint_eq(tk_result_cell(result, 0, 0, 1)->v.u, 3); /* in the order of the sorting */
    ck_assert_uint_eq(tk_result_cell(result, 0, 1, 1)->v.u, 2);
    ck_assert_int_eq(where(result, named, 1, got), TK_OK);
    ck_assert_uint_eq(got[0], 102);
    ck_assert_uint_eq(got[1], 101);
    ck_assert_uint_eq(tk_result_cell(result, 0, 0, 1)->v.u, 2);
    tk_result_free(result);
}
END_TEST

START_TEST(none_and_wrong)
{
    const char *const none[] = {"count>7"}, *const column[] = {"nope=1"}, *const sense[] = {"count"};
    struct tk_result *result = kept();
    ck_assert_int_eq(where(result, NULL, 0, NULL), TK_OK);
    ck_assert_uint_eq(rows_of(result, 0), 3);
    ck_assert_int_eq(where(result, column, 1, NULL), TK_EMATCH);
    ck_assert_int_eq(where(result, sense, 1, NULL), TK_EUSAGE);
    ck_assert_uint_eq(rows_of(result, 0), 3);
    ck_assert_int_eq(where(result, none, 1, NULL), TK_OK);
    ck_assert_uint_eq(rows_of(result, 0), 0);
    tk_result_free(result);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {rows_that_meet_all, none_and_wrong};
    return RUN_TESTS("conditions", tests);
}
