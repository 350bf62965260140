/*
 * Figures of counters against sums and ranks that are worked out directly.
 */
#include "run.h"
#include "table/value_summary.h"

#include <math.h>
#include <string.h>

enum { VALUES = 3000 };

static uint64_t state = 11;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static struct tk_number whole(int64_t i)
{
    return (struct tk_number){.v.i = i};
}

static struct tk_number real(double r)
{
    return (struct tk_number){.real = true, .v.r = r};
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double exact(const double *sorted, size_t n, unsigned percent)
{
    return sorted[(n * percent + 99) / 100 - 1];
}

static const unsigned percents[] = {1, 10, 50, 90, 95, 99, 100};

START_TEST(reals_of_any_size)
{
    static double values[VALUES];
    struct tk_value_summary f = {0};
    for (size_t i = 0; i < VALUES; i++) {
        double size = ldexp((double)(draw() >> 11), (int)(draw() % 200) - 150);
        values[i] = i % 10 == 0 ? 0 : draw() % 3 ? size : -size;
        ck_assert_int_eq(tk_value_summary_add(&f, real(values[i])), 0);
    }
    ck_assert(f.first.v.r == values[0] && f.last.v.r == values[VALUES - 1]);
    qsort(values, VALUES, sizeof *values, by_value);
    ck_assert(f.min.v.r == values[0] && f.max.v.r == values[VALUES - 1]);
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        double want = exact(values, VALUES, percents[i]);
        struct tk_number got = tk_value_summary_percentile(&f, percents[i], 100);
        ck_assert(got.real);
        ck_assert_msg(fabs(got.v.r - want) <= fabs(want) / 256, "%u: %g, not %g", percents[i], got.v.r, want);
    }
    tk_value_summary_release(&f);
}
END_TEST

/* As above, over all octaves of a double: 128 values in each from 2^-200 on. */
START_TEST(reals_beyond_all_others)
{
    enum { OCTAVES = 1223, EACH = 3 };
    static double values[OCTAVES * EACH];
    struct tk_value_summary f = {0};
    for (int i = 0; i < OCTAVES * EACH; i++) {
        const double part = 1 + (double)(draw() >> 12) / 0x1p52;
        values[i] = (i % 2 ? 1 : -1) * ldexp(part, i / EACH - 199);
        ck_assert_int_eq(tk_value_summary_add(&f, real(values[i])), 0);
    }
    qsort(values, OCTAVES * EACH, sizeof *values, by_value);
    for (unsigned percent = 1; percent <= 100; percent++) {
        double want = exact(values, OCTAVES * EACH, percent);
        double got = tk_value_summary_percentile(&f, percent, 100).v.r;
        ck_assert_msg(fabs(got - want) <= fabs(want) / 256, "%u: %g, not %g", percent, got, want);
    }
    tk_value_summary_release(&f);
}
END_TEST

/* The greatest doubles and times of years: sums are beyond doubles, means are not. */
START_TEST(means_do_not_overflow)
{
    struct tk_value_summary f = {0};
    tk_value_summary_step(&f, real(-0x1p1023), 0);
    tk_value_summary_step(&f, real(0x1.8p1023), INT64_C(1) << 40);
    tk_value_summary_step(&f, real(0x1.8p1023), INT64_C(2) << 40);
    tk_value_summary_stop(&f, INT64_C(4) << 40);
    ck_assert(tk_sum_mean(&f.weighted, f.weight) == 0x1.cp1022); /* (-1 + 3 * 1.5) / 4 = 0.875 */
    struct tk_sum sum = {0}, other = {0};
    for (int i = 0; i < 4; i++)
        tk_sum_add(&sum, real(0x1.8p1023));
    tk_sum_add(&other, real(3));
    tk_sum_merge(&other, &sum);
    ck_assert(tk_sum_mean(&other, 8) == 0x1.8p1022);
    for (int i = 0; i < 4; i++)
        tk_sum_add(&other, real(-0x1.8p1023));
    ck_assert(tk_sum_real(&other) == 3);
    tk_value_summary_release(&f);
}
END_TEST

START_TEST(small_whole_numbers_are_exact)
{
    static double values[VALUES];
    struct tk_value_summary f = {0};
    int64_t sum = 0;
    for (size_t i = 0; i < VALUES; i++) {
        int64_t v = (int64_t)(draw() % 511) - 255;
        values[i] = (double)v;
        sum += v;
        ck_assert_int_eq(tk_value_summary_add(&f, whole(v)), 0);
    }
    qsort(values, VALUES, sizeof *values, by_value);
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        struct tk_number got = tk_value_summary_percentile(&f, percents[i], 100);
        ck_assert(!got.real);
        ck_assert_int_eq(got.v.i, (int64_t)exact(values, VALUES, percents[i]));
    }
    ck_assert_int_eq(tk_sum_number(&f.total).v.i, sum);
    tk_value_summary_release(&f);
}
END_TEST

START_TEST(sums_do_not_overflow)
{
    struct tk_sum sum = {0}, other = {0};
    for (int i = 0; i < 3; i++)
        tk_sum_add(&sum, whole(INT64_MAX));
    ck_assert(tk_sum_number(&sum).real);
    ck_assert(tk_sum_real(&sum) == 3 * 0x1p63);
    for (int i = 0; i < 5; i++)
        tk_sum_add(&other, whole(INT64_MIN));
    ck_assert(tk_sum_real(&other) == -5 * 0x1p63);
    tk_sum_merge(&sum, &other);
    ck_assert(tk_sum_real(&sum) == -2 * 0x1p63);
    tk_sum_add(&sum, whole(INT64_MAX));
    tk_sum_add(&sum, whole(4)); /* 3 - 5 + 1 times 2^63, and 4 more than 4 times -1: exactly -2^63 */
    ck_assert(!tk_sum_number(&sum).real);
    ck_assert_int_eq(tk_sum_number(&sum).v.i, INT64_MIN);
    sum = (struct tk_sum){0};
    tk_sum_add(&sum, whole(-5));
    ck_assert_int_eq(tk_sum_number(&sum).v.i, -5);
    ck_assert(tk_sum_real(&sum) == -5);
}
END_TEST

/* A great number and many small ones: nothing of the small ones is lost. */
START_TEST(sums_of_reals_lose_nothing)
{
    struct tk_sum sum = {0};
    tk_sum_add(&sum, real(1e16));
    for (int i = 0; i < 1000; i++)
        tk_sum_add(&sum, real(0.25));
    tk_sum_add(&sum, real(-1e16));
    ck_assert(tk_sum_real(&sum) == 250);
    tk_sum_add(&sum, real((double)INFINITY));
    ck_assert(isinf(tk_sum_real(&sum)));
}
END_TEST

START_TEST(what_is_no_number)
{
    struct tk_value_summary f = {0};
    ck_assert_int_eq(tk_value_summary_add(&f, real((double)NAN)), 0);
    ck_assert_int_eq(tk_value_summary_add(&f, real(2)), 0);
    ck_assert_int_eq(tk_value_summary_add(&f, real((double)INFINITY)), 0);
    ck_assert_int_eq(tk_value_summary_add(&f, real(-(double)INFINITY)), 0);
    ck_assert_int_eq(tk_value_summary_add(&f, real(1)), 0);
    ck_assert_uint_eq(f.count, 5);
    ck_assert_uint_eq(f.numbers, 4);
    ck_assert(isnan(f.first.v.r) && isinf(f.min.v.r) && isinf(f.max.v.r));
    ck_assert(fabs(tk_value_summary_percentile(&f, 50, 100).v.r - 1) <= 1.0 / 256);
    tk_value_summary_step(&f, real((double)NAN), 0);
    tk_value_summary_step(&f, real(3), 10);
    tk_value_summary_stop(&f, 5); /* backwards: holds for no time */
    ck_assert_uint_eq(f.weight, 0);
    tk_value_summary_release(&f);
}
END_TEST

START_TEST(steps_and_frames)
{
    struct tk_value_summary f = {0};
    tk_value_summary_step(&f, whole(4), 10);
    tk_value_summary_step(&f, whole(1), 20);
    tk_value_summary_stop(&f, 50);
    ck_assert_uint_eq(f.weight, 40);
    ck_assert(tk_sum_real(&f.weighted) == 70);
    tk_value_summary_frame(&f, 3, whole(2));
    tk_value_summary_frame(&f, 3, whole(5));
    tk_value_summary_frame(&f, 9, real(0.5));
    tk_value_summary_close_frame(&f);
    tk_value_summary_close_frame(&f);
    ck_assert(tk_sum_real(&f.frames_sum) == 7.5);
    ck_assert(!f.frame_max.real && f.frame_max.v.i == 7);
    tk_value_summary_release(&f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        reals_of_any_size,       small_whole_numbers_are_exact,
        sums_do_not_overflow,    sums_of_reals_lose_nothing,
        what_is_no_number,       steps_and_frames,
        reals_beyond_all_others, means_do_not_overflow,
    };
    return RUN_TESTS("figures", tests);
}
