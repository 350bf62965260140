/*
 * Judges the places at which a curve may change against their neighbours, and leaves those that hold.
 */
#ifndef TK_COMPARE_TREND_SERIES_JUDGE_H
#define TK_COMPARE_TREND_SERIES_JUDGE_H

#include "trend/curve.h"

/* Statistics of n places (ascending nights) to `out`, in the same order. */
void tk_trend_judge(const struct tk_trend_curve *c, const uint32_t *nights, size_t n,
                    const struct tk_trend_test *test, struct tk_trend_room *room, struct tk_trend_step *out);

/* Drops the weakest place until each has a p below the limit, a size from the floor on and its nights in
 * order. Returns how many of the n are left in `nights`; their statistics are in `out`. */
size_t tk_trend_prune(const struct tk_trend_curve *c, uint32_t *nights, size_t n,
                      const struct tk_trend_test *test, struct tk_trend_room *room,
                      struct tk_trend_step *out);

/* Finds out to which nights each of n judged places can be moved. */
void tk_trend_place(const struct tk_trend_curve *c, struct tk_trend_step *steps, size_t n,
                    const struct tk_trend_test *test);

/* How much longer the error of a mean is as nights hang together: 5 times the variance of means of blocks of
 * 5 nights over that of single nights, of what n changes leave. */
struct tk_trend_dependence {
    double ratio;
    size_t blocks; /* 0: too few nights to tell */
    double width;  /* of what is left, in sd */
};
struct tk_trend_dependence tk_trend_depends(const struct tk_trend_curve *c, const uint32_t *nights, size_t n,
                                            struct tk_trend_room *room);

#endif
