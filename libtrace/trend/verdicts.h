/*
 * Verdicts on events and series beside their changes: levels, states, alarms.
 */
#ifndef TK_COMPARE_TREND_VERDICTS_H
#define TK_COMPARE_TREND_VERDICTS_H

#include "trend/epoch.h"

/* Levels of all series at the end of the newest epoch, which may be too short to have been analysed. 0, or -1
 * if out of memory. */
int tk_trend_levels(struct tk_trend *t, const struct tk_trend_epoch *newest);

/* Values around each event of one series, what became of it, and which events alarm; t->events are in order.
 * 0, or -1 if out of memory. */
int tk_trend_judge_events(struct tk_trend *t);

#endif
