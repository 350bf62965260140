/*
 * What all series of a class share from run to run, which is the machine or the whole build.
 */
#ifndef TK_COMPARE_TREND_COMMON_H
#define TK_COMPARE_TREND_COMMON_H

#include "trend/curve.h"

/* Least ways to tell that nights of the common factor hang together. */
struct tk_trend_common {
    double *g;                   /* by run of the history, only those of the rows; logarithms */
    bool known;                  /* false: there are too few series */
    double *level;               /* by night */
    struct tk_trend_curve curve; /* g by night, without what machines add */
    struct tk_trend_step *steps; /* n changes of the level, with their places */
    size_t n;
    double *share; /* of each change: how many of the series follow it, 0 .. 1 */
};

/* Values of the series of a class that have a vote. */
struct tk_trend_votes {
    const double *const *x; /* n, by run; NAN: none */
    size_t n;
    const uint32_t *rows;
    size_t n_rows;
};

/* Finds g of the runs in `rows` with the least spread that n series have around it. `floor`: smallest change
 * that is told. 0, or -1 if out of memory. */
int tk_trend_common_factor(struct tk_trend_common *c, const struct tk_trend_votes *votes, double floor,
                           struct tk_trend_room *room, struct tk_arena *arena);

/* Changes of its level: `curve` is g by night. */
int tk_trend_common_changes(struct tk_trend_common *c, double alpha, double floor, struct tk_trend_room *room,
                            struct tk_arena *arena);

/* How much of the swings of g a series takes, by its runs in `rows`: 0 .. 2. */
double tk_trend_loading(const double *v, const double *g, const uint32_t *rows, size_t n,
                        struct tk_trend_room *room);

#endif
