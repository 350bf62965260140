/*
 * Drifts: changes that take weeks, which segments show as stairs.
 */
#ifndef TK_COMPARE_TREND_SERIES_DRIFT_H
#define TK_COMPARE_TREND_SERIES_DRIFT_H

#include "trend/curve.h"

/* A level up to night `from`, a line to another level at night `to`, which holds from there on. */
struct tk_trend_drift {
    uint32_t from, to;
    double before, after;
};

/*
 * Compares stairs in one direction, and lone levels, with a ramp. `nights`: n changes, ascending; those with
 * fixed[i] are never part of stairs. Keeps the others that no ramp replaces: returns how many are left in
 * `nights`, and *n_drifts of them in `drifts` (room for n + 1). floor: of half the size of a drift.
 */
size_t tk_trend_drifts(const struct tk_trend_curve *c, uint32_t *nights, const uint8_t *fixed, size_t n,
                       const struct tk_trend_test *test, struct tk_trend_room *room,
                       struct tk_trend_drift *drifts, size_t *n_drifts);

#endif
