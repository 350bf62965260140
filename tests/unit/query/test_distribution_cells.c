/* The columns of a distribution: their descriptions, and cells worked out by hand. */
#include "query/context_cells.h"
#include "run.h"

#include <string.h>

enum {
    COUNT,
    LENGTHS,
    SIZES = LENGTHS + TK_DISTRIBUTION_COLUMNS,
    LAST = SIZES + TK_DISTRIBUTION_COLUMNS,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [COUNT] = {"count", TK_UINT, 0, NULL, "how many"},
    TK_DISTRIBUTION_LENGTHS(LENGTHS, "wait_", TK_DISTRIBUTION_BIT(MIN) | TK_DISTRIBUTION_BIT(P99), "least",
                            "greatest", "mean", "the waits"),
    TK_DISTRIBUTION_NUMBERS("bits", SIZES, "", TK_DISTRIBUTION_ALL & ~TK_DISTRIBUTION_BIT(MAX), "least",
                            "greatest", "mean", "the sizes"),
    [LAST] = {"last", TK_TIME, 0, NULL, "the last"},
};

static void is_column(unsigned at, const char *name, unsigned kind, unsigned flags, const char *help)
{
    ck_assert_str_eq(columns[at].name, name);
    ck_assert_uint_eq(columns[at].kind, kind);
    ck_assert_uint_eq(columns[at].flags, flags);
    ck_assert_str_eq(columns[at].help, help);
}

START_TEST(descriptions)
{
    is_column(1, "wait_min", TK_DURATION, TK_COL_EXTRA, "least");
    is_column(2, "wait_max", TK_DURATION, 0, "greatest");
    is_column(3, "wait_mean", TK_MEAN, 0, "mean");
    is_column(4, "wait_median", TK_DURATION, 0, "median of the waits");
    is_column(5, "wait_p95", TK_DURATION, 0, "95th percentile of the waits");
    is_column(6, "wait_p99", TK_DURATION, TK_COL_EXTRA, "99th percentile of the waits");
    is_column(7, "min", TK_UINT, TK_COL_EXTRA, "least");
    is_column(8, "max", TK_UINT, 0, "greatest");
    is_column(9, "mean", TK_REAL, TK_COL_EXTRA, "mean");
    is_column(10, "median", TK_UINT, TK_COL_EXTRA, "median of the sizes");
    is_column(12, "p99", TK_UINT, TK_COL_EXTRA, "99th percentile of the sizes");
    is_column(13, "last", TK_TIME, 0, "the last");
    ck_assert_str_eq(columns[7].unit, "bits");
    ck_assert_ptr_null(columns[1].unit);
    ck_assert_uint_eq(COLUMNS, 14);
}
END_TEST

static struct tk_distribution of_three(int64_t a, int64_t b, int64_t c)
{
    struct tk_distribution d = {0};
    ck_assert_int_eq(tk_distribution_add_length(&d, a), 0);
    ck_assert_int_eq(tk_distribution_add_length(&d, b), 0);
    ck_assert_int_eq(tk_distribution_add_length(&d, c), 0);
    return d;
}

/* A cycle is a millisecond. */
START_TEST(lengths_in_the_unit_of_the_query)
{
    struct tk_dict dict = {.clock = {.frequency = 1000}};
    const struct tk_query query = {.unit = TK_UNIT_NS};
    const struct tk_query_context view = {.dict = &dict, .query = &query};
    struct tk_distribution d = of_three(4, 1, 5);
    struct tk_cell row[COLUMNS] = {{.kind = TK_NONE}};
    tk_distribution_put(&view, TK_DURATION, &d, &row[LENGTHS]);
    ck_assert_uint_eq(row[LENGTHS + TK_DISTRIBUTION_MIN].kind, TK_DURATION);
    ck_assert_int_eq(row[LENGTHS + TK_DISTRIBUTION_MIN].v.i, 1000000);
    ck_assert_int_eq(row[LENGTHS + TK_DISTRIBUTION_MAX].v.i, 5000000);
    ck_assert_uint_eq(row[LENGTHS + TK_DISTRIBUTION_MEAN].kind, TK_MEAN);
    ck_assert(row[LENGTHS + TK_DISTRIBUTION_MEAN].v.r == 10000000.0 / 3);
    ck_assert_int_eq(row[LENGTHS + TK_DISTRIBUTION_MEDIAN].v.i, 4000000);
    ck_assert_int_eq(row[LENGTHS + TK_DISTRIBUTION_P95].v.i, 5000000);
    ck_assert_int_eq(row[LENGTHS + TK_DISTRIBUTION_P99].v.i, 5000000);
    ck_assert_uint_eq(row[COUNT].kind, TK_NONE);
    ck_assert_uint_eq(row[SIZES].kind, TK_NONE);
    tk_distribution_release(&d);
}
END_TEST

START_TEST(numbers)
{
    struct tk_distribution d = {0};
    struct tk_cell row[COLUMNS] = {{.kind = TK_NONE}};
    ck_assert_int_eq(tk_distribution_add(&d, 8), 0);
    ck_assert_int_eq(tk_distribution_add(&d, UINT64_C(1) << 63), 0);
    tk_distribution_put(NULL, TK_UINT, &d, &row[SIZES]);
    ck_assert_uint_eq(row[SIZES + TK_DISTRIBUTION_MIN].kind, TK_UINT);
    ck_assert_uint_eq(row[SIZES + TK_DISTRIBUTION_MIN].v.u, 8);
    ck_assert_uint_eq(row[SIZES + TK_DISTRIBUTION_MAX].v.u, UINT64_C(1) << 63);
    ck_assert_uint_eq(row[SIZES + TK_DISTRIBUTION_MEAN].kind, TK_REAL);
    ck_assert(row[SIZES + TK_DISTRIBUTION_MEAN].v.r == 4611686018427387904.0 + 4);
    ck_assert_uint_eq(row[SIZES + TK_DISTRIBUTION_MEDIAN].v.u, 8);
    tk_distribution_release(&d);
}
END_TEST

START_TEST(without_values_nothing_is_put)
{
    const struct tk_distribution none = {0};
    struct tk_cell row[TK_DISTRIBUTION_COLUMNS] = {{.kind = TK_NONE}};
    tk_distribution_put(NULL, TK_UINT, &none, row);
    for (unsigned i = 0; i < TK_DISTRIBUTION_COLUMNS; i++)
        ck_assert_uint_eq(row[i].kind, TK_NONE);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        descriptions,
        lengths_in_the_unit_of_the_query,
        numbers,
        without_values_nothing_is_put,
    };
    return RUN_TESTS("distribution_cells", tests);
}
