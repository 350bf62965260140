/*
 * A curve: one series in one stretch of nights on machines of one kind, as logarithms, and an estimate of its
 * noise. Made by ../flatten.c, cut by segment.c, judged by judge.c and drift.c.
 */
#ifndef TK_TREND_CURVE_H
#define TK_TREND_CURVE_H

#include "trend/history.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Small statistics that a few wild values cannot pull away. All of compare/trend calls them. Functions that
 * sort say so; `space` is for as many values as there are given.
 */

struct tk_robust_pair {
    double value, weight;
};

/* Middle of n values (mean of the two middle ones), n >= 1; moves them about. */
double tk_robust_median(double *v, size_t n);

/* The least value below and at which half of the weight lies, n >= 1; sorts them. */
double tk_robust_weighted_median(struct tk_robust_pair *v, size_t n);

/* Standard deviation from the median distance of neighbours, so that steps do not count; -1 for fewer than
 * four values. */
double tk_robust_spread(const double *v, size_t n, double *space);

/* Mean with weights that fall off beyond 3 sd from the median, n >= 1. */
double tk_robust_centre(const double *v, size_t n, double sd, double *space);

/*
 * Chance that so many of n right values lie beyond the middle of both levels, as do, were the sides dealt at
 * random (hypergeometric). Where more than a tenth of the left ones lie there, the series may have two
 * levels, and the chance is reported 20 times as large.
 */
double tk_robust_order(const double *left, size_t n_left, const double *right, size_t n_right, double m1,
                       double m2);

/* Parameters of the method; the reasons are in docs/decisions/trend.md. */
#define TK_TREND_BOUND                                                                                       \
    0.42                     /* of the loss, as a share of the penalty: 3 nights pay for a change, 2 do not  \
                              */
#define TK_TREND_NIGHTS 8u   /* that a series needs to be cut into levels */
#define TK_TREND_LEAST  4u   /* that the test of the newest nights needs */
#define TK_TREND_LONG   20u  /* epochs of fewer nights have newest.c, others that of changes.c */
#define TK_TREND_KNOWN  6u   /* fewer show no change, and not that there is none */
#define TK_TREND_ORDER  1e-3 /* chance of the order of nights on both sides */
#define TK_TREND_WHERE  6.0  /* growth of the loss that bounds the place of a change */
#define TK_TREND_LEVELS 256u /* of the grid of levels, at most */

/* Series whose noise has a part in common. */
enum tk_trend_class { TK_TREND_NONE, TK_TREND_CPU, TK_TREND_GPU, TK_TREND_LOADING, TK_TREND_CLASSES };

/* Nights from .. to - 1 of the history. */
struct tk_trend_span {
    uint32_t from, to;
};

struct tk_trend_curve {
    double *z;                              /* one a night of the history; NAN: none */
    const struct tk_history_series *series; /* NULL: what the timers of a parent share */
    const struct tk_str *parent;            /* of the timers that share it; else NULL */
    uint8_t class;                          /* enum tk_trend_class */
    double sd;                              /* of single nights */
    double grain;                           /* step of values in few levels; 0: they are not */
    double phi; /* by how much nights that hang together widen the error of a mean */
    struct tk_trend_span span;
};

/* Values that there are of some nights, in order. */
struct tk_trend_side {
    double *v;
    size_t n;
};

/* A place at which a curve may change, with its statistics against its neighbours. */
struct tk_trend_step {
    uint32_t night;
    uint32_t low, high; /* to which it can be moved as well */
    double size, se;    /* logarithm of the ratio */
    double p, order;    /* chance of Student's t (not adjusted), and of the order of nights */
    double before, after;
};

/* What the segments of one curve are looked for with. */
struct tk_trend_test {
    double beta;  /* penalty of a change */
    double nu;    /* degrees of freedom */
    double limit; /* of p */
    double floor; /* of the size */
};

/* Arrays for one curve at a time; of `n` values unless said. Made by tk_trend_space. */
struct tk_trend_space {
    size_t n;
    double *left, *right, *sorted, *values, *calm;
    struct tk_robust_pair *pairs; /* of as many as there are values or series, whichever is more */
    uint32_t *nights;
    uint8_t *marks; /* TK_TREND_LEVELS a value */
    uint8_t *best;  /* the level with the least cost, by value */
    uint32_t *steps;
    struct tk_trend_step *judged;
};

/* From the arena, for curves of n values and sets of m series. 0, or -1 if out of memory. */
int tk_trend_space(struct tk_trend_space *space, struct tk_arena *arena, size_t n, size_t m);

/* Values of nights a .. b - 1, put to `to`. */
struct tk_trend_side tk_trend_side_of(const double *z, uint32_t a, uint32_t b, double *to);

/* How many nights have a value. */
size_t tk_trend_count(const struct tk_trend_curve *c);

/* Middle of all values; NAN without any. */
double tk_trend_middle(const struct tk_trend_curve *c, struct tk_trend_space *space);

#endif
