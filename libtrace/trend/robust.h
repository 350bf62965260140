/*
 * Small statistics that a few wild values cannot pull away. All of compare/trend calls them. Functions that
 * sort say so; `room` is for as many values as there are given.
 */
#ifndef TK_COMPARE_TREND_SERIES_ROBUST_H
#define TK_COMPARE_TREND_SERIES_ROBUST_H

#include <stddef.h>

struct tk_robust_pair {
    double value, weight;
};

/* Middle of n values (mean of the two middle ones), n >= 1; moves them about. */
double tk_robust_median(double *v, size_t n);

/* The least value below and at which half of the weight lies, n >= 1; sorts them. */
double tk_robust_weighted_median(struct tk_robust_pair *v, size_t n);

/* Standard deviation from the median distance of neighbours, so that steps do not count; -1 for fewer than
 * four values. */
double tk_robust_spread(const double *v, size_t n, double *room);

/* Mean with weights that fall off beyond 3 sd from the median, n >= 1. */
double tk_robust_centre(const double *v, size_t n, double sd, double *room);

/*
 * Chance that so many of n right values lie beyond the middle of both levels, as do, were the sides dealt at
 * random (hypergeometric). Where more than a tenth of the left ones lie there, the series may have two
 * levels, and the chance is told 20 times as large.
 */
double tk_robust_order(const double *left, size_t n_left, const double *right, size_t n_right, double m1,
                       double m2);

#endif
