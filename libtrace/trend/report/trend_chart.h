/*
 * Charts of the page of a trend: values of a series by night, as SVG.
 */
#ifndef TK_COMPARE_TREND_REPORT_TREND_CHART_H
#define TK_COMPARE_TREND_REPORT_TREND_CHART_H

#include "compare/report/report_print.h"
#include "trend/trend.h"

/*
 * A dot a night and a line through them, with the least and the greatest value written at the axis. Where
 * nights are more than fit, a dot is the mean of its nights. `mark` is a night that gets a line, such as that
 * of a change; UINT32_MAX: none. An axis never shows less than a tenth of the greatest value, so that noise
 * looks like noise. Nothing where the series has no value.
 */
void tk_trend_chart(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                    uint32_t mark, unsigned width, unsigned height);

#endif
