/*
 * A ramp laid through some nights of a curve, and what it leaves.
 */
#ifndef TK_COMPARE_TREND_SERIES_RAMP_H
#define TK_COMPARE_TREND_SERIES_RAMP_H

#include "trend/drift.h"

#define TK_TREND_RAMP 14u /* nights of the shortest */

/* Values at both ends of a robust line through the nights of the ramp, or the levels beside it where there
 * are nights of `span` before or behind. false: too few nights have a value. */
bool tk_trend_ramp_fit(const struct tk_trend_curve *c, const struct tk_trend_span *span,
                       struct tk_trend_drift *ramp, struct tk_trend_room *room);

/* Bounded squares of what the ramp leaves of the nights of `span`, and of what a level leaves. */
double tk_trend_ramp_loss(const struct tk_trend_curve *c, const struct tk_trend_span *span,
                          const struct tk_trend_drift *ramp, double bound);
double tk_trend_level_loss(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double level,
                           double bound);

#endif
