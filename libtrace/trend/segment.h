/*
 * The least bounded loss: where the level of a curve changes.
 */
#ifndef TK_COMPARE_TREND_SERIES_SEGMENT_H
#define TK_COMPARE_TREND_SERIES_SEGMENT_H

#include "trend/curve.h"

/* Nights at which the level changes, ascending, to room->steps (one less than there are values at most).
 * Least sum of min(((z - level) / sd)^2, bound) + beta a change, over a grid of levels; exact. Returns how
 * many; 0 for fewer than 8 nights. */
size_t tk_trend_segment(const struct tk_trend_curve *c, double beta, struct tk_trend_room *room);

#endif
