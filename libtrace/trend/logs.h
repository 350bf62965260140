/*
 * Values as logarithms, which makes sizes ratios.
 */
#ifndef TK_COMPARE_TREND_SERIES_LOGS_H
#define TK_COMPARE_TREND_SERIES_LOGS_H

#include "trend/curve.h"

/* Logarithms of the values of a series to `to`, by run; NAN: none. To those of series with zeros something is
 * added before. `room`: as many as there are runs. */
void tk_trend_logs(const struct tk_history_series *s, size_t runs, double *to, double *room);

#endif
