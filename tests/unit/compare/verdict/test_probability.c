/*
 * Distributions and procedures against tables and hand calculations.
 */
#include "compare/verdict/probability.h"
#include "run.h"

#include <math.h>

static int is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b) + 1e-15;
}

/* Two-sided 5 % and 1 % points of the table of Student's distribution. */
START_TEST(t_has_the_values_of_the_table)
{
    static const struct {
        double df, t, p;
    } table[] = {{1, 12.7062, 0.05},  {2, 4.30265, 0.05},  {4, 2.77645, 0.05},  {8, 3.35539, 0.01},
                 {10, 2.22814, 0.05}, {18, 2.87844, 0.01}, {30, 2.04227, 0.05}, {120, 2.61742, 0.01}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ck_assert(is_near(tk_probability_t(table[i].t, table[i].df), table[i].p, 1e-5));
        ck_assert(is_near(tk_probability_t(-table[i].t, table[i].df), table[i].p, 1e-5));
        ck_assert(is_near(tk_probability_t_limit(table[i].p, table[i].df), table[i].t, 1e-5));
    }
}
END_TEST

/* With one degree of freedom p = 1 - 2 atan(t) / pi; with two, p = 1 - t / sqrt(2 + t^2). */
START_TEST(t_has_its_closed_forms)
{
    for (double t = 0.1; t < 100; t *= 1.7) {
        ck_assert(is_near(tk_probability_t(t, 1), 1 - 2 * atan(t) / 3.14159265358979323846, 1e-9));
        ck_assert(is_near(tk_probability_t(t, 2), 1 - t / sqrt(2 + t * t), 1e-8));
    }
    ck_assert(tk_probability_t(0, 5) == 1);
    ck_assert(tk_probability_t(3, 0) == 1);
}
END_TEST

/* 0 of 5 with halves: twice 1/32. 1 of 4 with a quarter: P(X <= 1) = 0.73828125, P(X >= 1) = 0.68359375. */
START_TEST(splits_are_binomial)
{
    ck_assert(is_near(tk_probability_split(5, 0, 0.5), 0.0625, 1e-12));
    ck_assert(is_near(tk_probability_split(0, 5, 0.5), 0.0625, 1e-12));
    ck_assert(tk_probability_split(1, 3, 0.25) == 1);
    ck_assert(is_near(tk_probability_split(4, 0, 0.25), 2 * pow(0.25, 4), 1e-12));
    ck_assert(tk_probability_split(0, 0, 0.5) == 1);
}
END_TEST

/* Of 10^6 of two halves a side has 10^6/2 + 1000 with z = 2; sums beyond 64 bits are no smaller. */
START_TEST(many_splits_are_normal)
{
    ck_assert(is_near(tk_probability_split(501000, 499000, 0.5), 0.0455002639, 1e-8));
    ck_assert(tk_probability_split(UINT64_MAX, 2, 0.5) == 0);
    ck_assert(tk_probability_split(2, UINT64_MAX, 0.5) == 0);
    ck_assert(is_near(tk_probability_split(UINT64_MAX, UINT64_MAX, 0.5), 1, 1e-9));
}
END_TEST

static const double low[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
static const double high[10] = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20};

/* Fully apart: 2 of all ways to choose: 20, 252 and 184756 ways. */
START_TEST(ranks_of_sides_that_are_apart)
{
    ck_assert(is_near(tk_probability_ranks(low, 3, high, 3), 2.0 / 20, 1e-12));
    ck_assert(is_near(tk_probability_ranks(low, 5, high, 5), 2.0 / 252, 1e-12));
    ck_assert(is_near(tk_probability_ranks(high, 10, low, 10), 2.0 / 184756, 1e-9));
}
END_TEST

/* {1, 2, 4} and {3, 5, 6}: U = 1; of the 20 ways 2 have U <= 1, so p = 4 / 20. */
START_TEST(ranks_of_sides_that_overlap)
{
    const double a[] = {1, 2, 4}, b[] = {3, 5, 6};
    ck_assert(is_near(tk_probability_ranks(a, 3, b, 3), 4.0 / 20, 1e-12));
    ck_assert(tk_probability_ranks(a, 3, b, 0) == 1);
}
END_TEST

/* 0.01 * 5, 0.02 * 5 / 2, 0.03 * 5 / 3 = 0.05, 0.05; 0.2 * 5 / 4 = 0.25; 0.9. */
START_TEST(chances_are_adjusted_for_their_number)
{
    double p[] = {0.9, 0.03, 0.01, 0.2, 0.02};
    const double wanted[] = {0.9, 0.05, 0.05, 0.25, 0.05};
    size_t order[5];
    tk_probability_adjust(p, 5, order);
    for (int i = 0; i < 5; i++)
        ck_assert(is_near(p[i], wanted[i], 1e-12));
}
END_TEST

START_TEST(medians)
{
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2};
    ck_assert(tk_probability_median(odd, 3) == 3);
    ck_assert(tk_probability_median(even, 4) == 2.5);
    ck_assert(tk_probability_median(NULL, 0) == 0);
}
END_TEST

/*
 * Eight blocks of weight 1, stretches of two. Sums 9 9 11 11 9 9 11 11, mean 10: the eight stretches deviate
 * by -2 0 2 0 -2 0 2 0, mean square 2; four stretches are drawn: variance of the sum 8, of the logarithm 8 /
 * 80^2. Alternating sums cancel in every stretch. The variance of the mean is 8 / 8^2; in parts of 5 it is 1
 * / 200, also of values below 0 and against zeros.
 */
START_TEST(bootstrap_of_stretches)
{
    const double pairs[] = {9, 9, 11, 11, 9, 9, 11, 11}, turns[] = {9, 11, 9, 11, 9, 11, 9, 11};
    const double ones[] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8] = {0};
    const double below[] = {-9, -9, -11, -11, -9, -9, -11, -11};
    const struct tk_probability_side a = {pairs, ones, 8}, b = {turns, ones, 8}, c = {zeros, ones, 8};
    const struct tk_probability_side d = {below, ones, 8};
    ck_assert(is_near(tk_probability_bootstrap(&a, &b, 0), sqrt(8.0 / 6400), 1e-12));
    ck_assert(is_near(tk_probability_bootstrap(&a, &a, 0), sqrt(16.0 / 6400), 1e-12));
    ck_assert(tk_probability_bootstrap(&b, &b, 0) == 0);
    ck_assert(tk_probability_bootstrap(&c, &b, 0) == 0);
    ck_assert(is_near(tk_probability_bootstrap(&c, &d, 5), sqrt(1.0 / 200), 1e-12));
}
END_TEST

/* spreads that many rows have together; what is expected is worked out from the normal distribution */

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
    const TTest *const tests[] = {t_has_the_values_of_the_table,
                                  t_has_its_closed_forms,
                                  splits_are_binomial,
                                  many_splits_are_normal,
                                  ranks_of_sides_that_are_apart,
                                  ranks_of_sides_that_overlap,
                                  chances_are_adjusted_for_their_number,
                                  medians,
                                  bootstrap_of_stretches,
                                  a_row_without_a_spread_has_those_of_the_others,
                                  a_small_spread_does_not_rule_out_a_great_one,
                                  chances_fall_with_the_difference_and_rise_with_the_factor,
                                  rows_without_spread_and_beyond_all};
    return RUN_TESTS("chance", tests);
}
