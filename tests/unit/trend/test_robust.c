/*
 * Robust statistics against calculations by hand.
 */
#include "run.h"
#include "trend/curve.h"

#include <math.h>
#include <string.h>

static int is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(1, fabs(b));
}

START_TEST(medians_are_those_of_sorted_values)
{
    double odd[] = {5, 1, 4, 2, 3}, even[] = {4, 1, 3, 2}, one[] = {7}, equal[] = {2, 2, 2, 2, 1, 9};
    ck_assert(tk_robust_median(odd, 5) == 3);
    ck_assert(tk_robust_median(even, 4) == 2.5);
    ck_assert(tk_robust_median(one, 1) == 7);
    ck_assert(tk_robust_median(equal, 6) == 2);
}
END_TEST

/* All orders of 1 .. 7 that a simple rule gives; the middle is 4 in each. */
START_TEST(medians_do_not_depend_on_the_order)
{
    for (unsigned step = 1; step < 7; step++) {
        double v[7];
        for (unsigned i = 0; i < 7; i++)
            v[i] = i * step % 7 + 1;
        ck_assert(tk_robust_median(v, 7) == 4);
    }
}
END_TEST

/* Weights 1, 1, 5: half of 7 is reached at the third. 3, 1, 1: at the first. */
START_TEST(weighted_medians_reach_half_of_the_weight)
{
    struct tk_robust_pair a[] = {{3, 5}, {1, 1}, {2, 1}}, b[] = {{2, 1}, {1, 3}, {3, 1}};
    ck_assert(tk_robust_weighted_median(a, 3) == 3);
    ck_assert(tk_robust_weighted_median(b, 3) == 1);
}
END_TEST

/* Distances of neighbours are 1, 1, 100, 1, 1: the step does not count. */
START_TEST(steps_do_not_count_as_spread)
{
    const double v[] = {0, 1, 0, 100, 101, 100};
    double space[6];
    ck_assert(is_near(tk_robust_spread(v, 6, space), 1.4826 / sqrt(2)));
    ck_assert(tk_robust_spread(v, 3, space) == -1);
}
END_TEST

/* Nine zeros and one value of 30 sd, whose weight is 1 / (30 / 3)^2 = 0.01 in each round, but for how far the
 * centre moved: 0.3 / 9.01 at most. */
START_TEST(wild_values_hardly_move_the_centre)
{
    const double v[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 30};
    double space[10], centre = tk_robust_centre(v, 10, 1, space);
    ck_assert(centre > 0.033 && centre < 0.034);
}
END_TEST

/* Five below and three above: one way of C(8, 3) = 56. With one of the left above, four ways of three right
 * ones, all with 4 of 8 above: C(3, 3) C(5, 1) / C(8, 4) = 5 / 70. With two, more than a tenth: 20 times. */
START_TEST(order_is_hypergeometric)
{
    const double left[] = {0, 0, 0, 0, 0}, one[] = {0, 0, 1, 0, 0}, two[] = {0, 1, 1, 0, 0},
                 right[] = {1, 1, 1};
    ck_assert(is_near(tk_robust_order(left, 5, right, 3, 0, 1), 1.0 / 56));
    ck_assert(is_near(tk_robust_order(one, 5, right, 3, 0, 1), 5.0 / 70));
    ck_assert(tk_robust_order(two, 5, right, 3, 0, 1) == 1);
    ck_assert(is_near(tk_robust_order(right, 3, left, 5, 1, 0), 1.0 / 56));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        medians_are_those_of_sorted_values,        medians_do_not_depend_on_the_order,
        weighted_medians_reach_half_of_the_weight, steps_do_not_count_as_spread,
        wild_values_hardly_move_the_centre,        order_is_hypergeometric};
    return RUN_TESTS("robust", tests);
}
