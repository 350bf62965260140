/*
 * Reports of a trend, one file for each family of formats. They are written from struct tk_trend alone, so
 * the same trend gives the same bytes.
 */
#ifndef TK_COMPARE_TREND_REPORT_TREND_REPORT_H
#define TK_COMPARE_TREND_REPORT_TREND_REPORT_H

#include "compare/report/report.h"
#include "trend/trend.h"

struct tk_trend_report_kind {
    const char *name;
    void (*print)(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup);
};

/* All kinds, ended by one without a name. */
extern const struct tk_trend_report_kind tk_trend_report_kinds[];

void tk_trend_report_csv(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup);
void tk_trend_report_json(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup);
void tk_trend_report_text(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup);
void tk_trend_report_markdown(struct tk_print *p, const struct tk_trend *t,
                              const struct tk_report_setup *setup);
void tk_trend_report_html(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup);
void tk_trend_report_junit(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup);

/* ---- shared by the kinds ---- */

/* What the event is of: an id, "^Parent", "*cpu" or "*", escaped as `put` does. */
typedef void tk_trend_put_name(struct tk_print *p, const struct tk_str *s);
void tk_trend_report_id(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put);

/* "own", "common", "family ^Parent" and so on. */
void tk_trend_report_cause(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put);

/* Ends of the interval of the ratio; false: it is not known. */
bool tk_trend_report_interval(const struct tk_trend_event *e, double *low, double *high);

#endif
