/*
 * Chances with spreads that many rows have together. What is expected is worked out from the normal
 * distribution.
 */
#include "compare/verdict/spreads.h"
#include "run.h"

#include <math.h>

#define ROWS     100
#define OFTEN    90
#define FREEDOM  400.0
#define LIKE_ONE 0.02 /* what one row that counts for equal shares may do to those of a hundred */

static struct tk_spread rows[ROWS];
static struct tk_spreads spreads;

/* Ninety rows of one deviation, ten of another, both well known. */
static void find_two(double often, double seldom)
{
    for (size_t i = 0; i < ROWS; i++) {
        const double deviation = i < OFTEN ? often : seldom;
        rows[i] = (struct tk_spread){deviation * deviation, FREEDOM};
    }
    ck_assert_int_eq(tk_spreads_find(&spreads, rows, ROWS, TK_SPREADS_TAIL), 0);
}

static double normal(double delta, double deviation)
{
    return erfc(delta / deviation / sqrt(2));
}

/* The chance where nine rows in ten vary by one deviation and the others by another, but for one of twenty
 * that may vary by any step from 2 to 15 %. own: the variance that the row shows, with two degrees of
 * freedom, or -1: it shows nothing. Densities of chi square with two degrees of freedom are exp(-x / v) / v.
 */
static double mixed(double one, double other, double own, double delta)
{
    double weights = 0, chance = 0, tail = 0;
    for (double d = 1e-3; d < 0.15 * 1.2; d *= 1.2)
        tail += d >= 0.02;
    for (double d = 1e-3; d < 0.15 * 1.2; d *= 1.2) {
        double share = d >= 0.02 ? 0.05 / tail : 0;
        share += fabs(d / one - 1) < 0.01 ? 0.95 * 0.9 : 0;
        share += fabs(d / other - 1) < 0.01 ? 0.95 * 0.1 : 0;
        const double weight = share * (own < 0 ? 1 : exp(-own / (d * d)) / (d * d));
        weights += weight;
        chance += weight * normal(delta, d);
    }
    return chance / weights;
}

/* Of a row that shows nothing of its own: nine times in ten the one, else the other. */
START_TEST(a_row_without_a_spread_has_those_of_the_others)
{
    const double one = 1e-3 * pow(1.2, 10), other = 1e-3 * pow(1.2, 25);
    struct tk_spread row = {0, 0};
    find_two(one, other);
    for (double delta = 0; delta < 0.4; delta += 0.05) {
        const double expected = mixed(one, other, -1, delta);
        row = (struct tk_spread){0, 0};
        ck_assert_double_eq_tol(tk_spreads_chance(&spreads, &row, delta, 1, 0), expected, LIKE_ONE);
    }
}
END_TEST

/* Two runs a side whose variance is small: most likely the row is one of the many, yet it may be one of the
 * few, which then have nearly all of the chance. */
START_TEST(a_small_spread_does_not_rule_out_a_great_one)
{
    const double one = 1e-3 * pow(1.2, 14), other = 1e-3 * pow(1.2, 24), own = one * one / 10, delta = 0.15;
    const double expected = mixed(one, other, own, delta);
    struct tk_spread row = {own, 2};
    find_two(one, other);
    const double chance = tk_spreads_chance(&spreads, &row, delta, 1, 0);
    ck_assert_double_eq_tol(chance / expected, 1, 0.25); /* equal shares, and what lies between grid points */
    ck_assert(chance > 30 * normal(delta, one));
    ck_assert(row.freedom >= 4 && row.variance > own);
}
END_TEST

START_TEST(chances_fall_with_the_difference_and_rise_with_the_factor)
{
    struct tk_spread row = {1e-4, 2};
    double before = 2;
    find_two(0.01, 0.03);
    for (double delta = 0; delta < 1; delta += 0.01) {
        row = (struct tk_spread){1e-4, 2};
        const double chance = tk_spreads_chance(&spreads, &row, delta, 1, 0);
        ck_assert(chance <= before && chance >= 0);
        before = chance;
    }
    struct tk_spread again = {1e-4, 2};
    row = again;
    ck_assert(tk_spreads_chance(&spreads, &row, 0.05, 1.4, 0) >
              tk_spreads_chance(&spreads, &again, 0.05, 1, 0));
    again = (struct tk_spread){1e-4, 2};
    ck_assert_double_eq_tol(tk_spreads_chance(&spreads, &again, 0, 1, 0), 1, 1e-12);
}
END_TEST

/* Rows without any spread have the least one that is of interest; a row beyond all others has a chance, too.
 */
START_TEST(rows_without_spread_and_beyond_all)
{
    struct tk_spread row = {0, 2};
    find_two(0, 0);
    ck_assert_double_eq_tol(tk_spreads_chance(&spreads, &row, 0.002, 1, 0), mixed(1e-3, 1e-3, 0, 0.002),
                            3e-4);
    row = (struct tk_spread){1e9, 2};
    ck_assert(isfinite(tk_spreads_chance(&spreads, &row, 0.002, 1, 0)));
    find_two(1e200, 1e-200);
    row = (struct tk_spread){1e300, 5};
    ck_assert(isfinite(tk_spreads_chance(&spreads, &row, 1e100, 1, 0)));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        a_row_without_a_spread_has_those_of_the_others,
        a_small_spread_does_not_rule_out_a_great_one,
        chances_fall_with_the_difference_and_rise_with_the_factor,
        rows_without_spread_and_beyond_all,
    };
    return RUN_TESTS("spreads", tests);
}
