/*
 * How the spreads of the rows of a kind are distributed, and the chance of a difference with that. Also of
 * the series of a history.
 *
 * The spread between runs differs from timer to timer, and few runs hardly show the one of a row. What all
 * rows show together is how many of them have which spread. The chance of a difference is then that of each
 * possible spread, weighted by how likely it is for a row that varies as this one does.
 */
#ifndef TK_COMPARE_VERDICT_SPREADS_H
#define TK_COMPARE_VERDICT_SPREADS_H

#include <stddef.h>

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
