/*
 * Frames that are far above the others of a run.
 */
#include "judge/clip.h"
#include "run.h"

#include <math.h>

/* 1 to 20 in an order of their own, the greatest replaced: quartiles are 6 and 15. */
static void fill(struct tk_rate v[20], double greatest)
{
    for (unsigned i = 0; i < 20; i++) {
        const unsigned value = i * 7 % 20 + 1;
        v[i] = (struct tk_rate){value == 20 ? greatest : value, 1};
    }
}

START_TEST(what_is_far_above_counts_as_the_limit)
{
    struct tk_rate v[20];
    const double limit = 15 + 3 * (15 - 6), others = 19 * 20 / 2.0; /* 42, and 1 to 19 */
    fill(v, 1000);
    ck_assert_double_eq_tol(tk_rates_limit(v, 20), limit, 1e-12);
    fill(v, 1000);
    ck_assert_double_eq_tol(tk_rates_clipped_mean(v, 20), (others + limit) / 20, 1e-12);
    fill(v, 41);
    ck_assert_double_eq_tol(tk_rates_clipped_mean(v, 20), (others + 41) / 20, 1e-12);
}
END_TEST

/* Where all are alike half as much again is let be; few blocks, and what is rare, are not clipped. */
START_TEST(what_is_not_clipped)
{
    struct tk_rate v[20];
    for (unsigned i = 0; i < 20; i++)
        v[i] = (struct tk_rate){i == 4 ? 9 : 2, 2};
    ck_assert_double_eq_tol(tk_rates_clipped_mean(v, 20), (19 * 2 + 3) / 20.0, 1e-12);
    for (unsigned i = 0; i < 20; i++)
        v[i] = (struct tk_rate){i % 6 ? 0 : 50, 1};
    ck_assert(isinf(tk_rates_limit(v, 20)));
    ck_assert(isinf(tk_rates_limit(v, 15)));
    ck_assert_double_eq(tk_rates_clipped_mean(v, 0), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_is_far_above_counts_as_the_limit, what_is_not_clipped};
    return RUN_TESTS("clip", tests);
}
