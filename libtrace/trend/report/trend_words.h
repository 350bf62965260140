/*
 * Sentences and figures that the reports of trends for people share. Names are escaped as `put` does.
 */
#ifndef TK_COMPARE_TREND_REPORT_TREND_WORDS_H
#define TK_COMPARE_TREND_REPORT_TREND_WORDS_H

#include "trend/report/trend_groups.h"
#include "trend/report/trend_report.h"

/* "regressed: ..." or what else the newest of the history is; a sentence without a full stop. */
void tk_trend_headline(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *g);

/* What was read and how it was tested: sentences, one a line, each behind `before`. */
void tk_trend_method(struct tk_print *p, const struct tk_trend *t, const char *before,
                     tk_trend_put_name *put);

/* "Tick [timer, GameThread]", "all cpu times", "timers below Tick", "the machine". */
void tk_trend_subject(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put);

/* "+10.4 % (+9.1 to +11.6)"; of machine changes the machines. */
void tk_trend_size(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                   tk_trend_put_name *put);

/* "0.1084 to 0.1196 ms/frame", where it is of a series; whether something was printed. */
bool tk_trend_values(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put);

/* What a night is for the reader: "build" where some have several runs, else "run". */
const char *tk_trend_unit(const struct tk_trend *t);

/* "run 118, build 6503, 2025-07-11". */
void tk_trend_night(struct tk_print *p, const struct tk_trend *t, uint32_t night, tk_trend_put_name *put);

/* "certain; taken back later; 97 % of the series follow it: machine or build?; driver changed from...". */
void tk_trend_detail(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                     tk_trend_put_name *put);

/* Titles of sections. */
const char *tk_trend_section_title(enum tk_trend_section section);

#endif
