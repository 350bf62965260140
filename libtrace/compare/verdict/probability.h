/*
 * The distributions and procedures on which verdicts are based. Nothing is drawn at random.
 */
#ifndef TK_COMPARE_VERDICT_PROBABILITY_H
#define TK_COMPARE_VERDICT_PROBABILITY_H

#include <stddef.h>
#include <stdint.h>

/* Share of Student's t distribution with df (> 0) degrees of freedom that lies further from 0 than t, both
 * sides. */
double tk_probability_t(double t, double df);

/* The t beyond which, both sides together, a share p (0 < p < 1) lies. */
double tk_probability_t_limit(double p, double df);

/* Two-sided chance of a split at least as uneven as a of a + b when each falls on side a with chance `share`:
 * exact binomial, twice the smaller tail, at most 1. */
double tk_probability_split(uint64_t a, uint64_t b, double share);

/* Two-sided exact chance of the rank sums (Mann-Whitney) by counting; n and m at most 64. Ties count half. 1
 * where a side is empty or longer, or out of memory. */
double tk_probability_ranks(const double *a, size_t n, const double *b, size_t m);

/* Replaces p values by those adjusted for their number (Benjamini-Hochberg). order: space for n indices. */
void tk_probability_adjust(double *p, size_t n, size_t *order);

/* Middle of n values (mean of the two middle ones); sorts them. 0 for none. */
double tk_probability_median(double *v, size_t n);

/*
 * Standard error of the logarithm of the ratio of two means, by a bootstrap over circular stretches of
 * consecutive blocks, as long as the cube root of their number. Not by drawing: what infinitely many draws
 * come to is computed, by the variance of all stretches there are and to the first order in it. Each side has
 * sums and weights of its blocks. 0 where nothing varies or a mean is not positive. With a unit above 0 it is
 * the error of the difference of the means in parts of the unit, and means may be any.
 */
struct tk_probability_side {
    const double *sums, *weights;
    size_t n;
};
double tk_probability_bootstrap(const struct tk_probability_side *a, const struct tk_probability_side *b,
                                double unit);

/*
 * How the spreads of the rows of a kind are distributed, and the chance of a difference with that. Also of
 * the series of a history.
 *
 * The spread between runs differs from timer to timer, and few runs hardly show the one of a row. What all
 * rows show together is how many of them have which spread. The chance of a difference is then that of each
 * possible spread, weighted by how likely it is for a row that varies as this one does.
 */

#define TK_SPREADS 64

/* The variance of a row around the means of its sides, and the degrees of freedom that it rests on. */
struct tk_spread {
    double variance, freedom;
};

/* Standard deviations, each by the same factor greater than the one before, and the shares of rows with them.
 */
struct tk_spreads {
    size_t n; /* 0: not known */
    double deviation[TK_SPREADS], share[TK_SPREADS];
};

/* Of the rows of runs so many may vary by a few to some percent, whatever is seen: a timer with two levels
 * from run to run may not have had the other one yet. */
#define TK_SPREADS_TAIL 0.05

/* Finds the shares from n rows, but for `tail` of them; of many, from some hundreds. 0, or -1 if out of
 * memory. */
int tk_spreads_find(struct tk_spreads *s, const struct tk_spread *rows, size_t n, double tail);

/*
 * The chance, both sides together, of a difference of `delta` or more where there is none, in a row of this
 * spread. factor: the deviation of such a difference by that of a run; extra: a deviation that it has in
 * addition. The spread becomes that of the t distribution that is nearest to what is known of the row
 * together with the others, for intervals.
 */
double tk_spreads_chance(const struct tk_spreads *s, struct tk_spread *row, double delta, double factor,
                         double extra);

/* What is known of the spread of a row together with the others: how likely each deviation is, in all 1. */
void tk_spreads_weigh(const struct tk_spreads *s, struct tk_spread row, double weight[TK_SPREADS]);

#endif
