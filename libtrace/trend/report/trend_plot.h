/*
 * Values of a series of a history by night, drawn: in one line, or as a picture. The report for people draws
 * with it.
 */
#ifndef TK_COMPARE_TREND_REPORT_TREND_PLOT_H
#define TK_COMPARE_TREND_REPORT_TREND_PLOT_H

#include "trend/report/trend_report.h"

/* A line of heights, of at most `width` columns. */
void tk_trend_spark(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                    size_t width, bool ascii);

/* Lines of bars from the least value to the greatest, which stand on the right, behind `before`; at most
 * `width` columns of nights. Nothing where no value is known. */
void tk_trend_plot(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                   const char *before, size_t width, bool ascii);

#endif
