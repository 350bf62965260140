/*
 * Distributions against values that are worked out by hand: whole numbers below 128 lie in buckets of their
 * own, so that their percentiles are exact.
 */
#include "run.h"
#include "table/value_summary.h"

START_TEST(the_first_hundred)
{
    struct tk_distribution d = {0};
    for (unsigned i = 100; i > 0; i--)
        ck_assert_int_eq(tk_distribution_add(&d, i), 0);
    ck_assert_uint_eq(d.count, 100);
    ck_assert_uint_eq(d.total, 5050);
    ck_assert_uint_eq(d.min, 1);
    ck_assert_uint_eq(d.max, 100);
    ck_assert_uint_eq(tk_distribution_percentile(&d, 50, 100), 50);
    ck_assert_uint_eq(tk_distribution_percentile(&d, 95, 100), 95);
    ck_assert_uint_eq(tk_distribution_percentile(&d, 999, 1000), 100);
    tk_distribution_release(&d);
    ck_assert_uint_eq(d.count, 0);
}
END_TEST

/* The bucket of a million is known by another number, which is not what a single value is displayed as. */
START_TEST(percentiles_stay_inside)
{
    struct tk_distribution d = {0};
    ck_assert_uint_ne(tk_sketch_value(TK_SKETCH_CALLS, tk_sketch_bucket(TK_SKETCH_CALLS, 1000000)), 1000000);
    ck_assert_int_eq(tk_distribution_add(&d, 1000000), 0);
    ck_assert_uint_eq(tk_distribution_percentile(&d, 1, 100), 1000000);
    ck_assert_uint_eq(tk_distribution_percentile(&d, 99, 100), 1000000);
    tk_distribution_release(&d);
}
END_TEST

START_TEST(values_of_all_64_bits)
{
    struct tk_distribution d = {0};
    ck_assert_int_eq(tk_distribution_add(&d, UINT64_MAX), 0);
    ck_assert_int_eq(tk_distribution_add(&d, 7), 0);
    ck_assert_uint_eq(d.min, 7);
    ck_assert_uint_eq(d.max, UINT64_MAX);
    ck_assert_uint_eq(d.total, 6);
    ck_assert_uint_eq(tk_distribution_percentile(&d, 50, 100), 7);
    ck_assert_uint_gt(tk_distribution_percentile(&d, 99, 100), UINT64_MAX / 100 * 99);
    tk_distribution_release(&d);
}
END_TEST

START_TEST(lengths_below_0)
{
    struct tk_distribution d = {0};
    ck_assert_int_eq(tk_distribution_add_length(&d, 3), 0);
    ck_assert_int_eq(tk_distribution_add_between(&d, 12, 5), 0);
    ck_assert_int_eq(tk_distribution_add_length(&d, 1), 0);
    ck_assert_int_eq((int64_t)d.total, -3);
    ck_assert_int_eq((int64_t)d.min, -7);
    ck_assert_int_eq((int64_t)d.max, 3);
    ck_assert_int_eq((int64_t)tk_distribution_percentile(&d, 1, 100), 0);
    ck_assert_int_eq((int64_t)tk_distribution_percentile(&d, 50, 100), 1);
    tk_distribution_release(&d);
    ck_assert_int_eq(tk_distribution_add_length(&d, -7), 0);
    ck_assert_int_eq((int64_t)tk_distribution_percentile(&d, 50, 100), -7);
    tk_distribution_release(&d);
}
END_TEST

/* A length that is added as it is and wraps to below 0 stands behind the others, at most as the greatest. */
START_TEST(lengths_that_wrap)
{
    struct tk_distribution d = {.is_signed = true};
    ck_assert_int_eq(tk_distribution_add(&d, (uint64_t)INT64_MIN), 0);
    ck_assert_int_eq(tk_distribution_add(&d, 9), 0);
    ck_assert_int_eq((int64_t)d.min, INT64_MIN);
    ck_assert_int_eq((int64_t)d.max, 9);
    ck_assert_int_eq((int64_t)tk_distribution_percentile(&d, 50, 100), 9);
    ck_assert_int_eq((int64_t)tk_distribution_percentile(&d, 99, 100), 9);
    tk_distribution_release(&d);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        the_first_hundred, percentiles_stay_inside, values_of_all_64_bits, lengths_below_0, lengths_that_wrap,
    };
    return RUN_TESTS("distribution", tests);
}
