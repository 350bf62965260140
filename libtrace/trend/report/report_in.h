/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_TREND_REPORT_REPORT_IN_H
#define TK_TREND_REPORT_REPORT_IN_H

#include "compare/report/report_print.h"
#include "trend/report/trend_report.h"
#include "trend/trend.h"

/*
 * Charts of the page of a trend: values of a series by night, as SVG.
 */

/*
 * A dot a night and a line through them, with the least and the greatest value written at the axis, and the
 * first and the last night below. Where nights are more than fit, a dot is the mean of its nights. `mark` is
 * a night that gets a line, such as that of a change; UINT32_MAX: none. An axis never shows less than a tenth
 * of the greatest value, so that noise looks like noise. Nothing where the series has no value.
 */
void tk_trend_chart(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                    uint32_t mark, unsigned width, unsigned height);

/*
 * Events that are reported together: those of one night with one cause. Texts and Markdown list groups.
 */

/* Where a group is listed. */
enum tk_trend_section {
    TK_TREND_REGRESSED, /* something in it alarms */
    TK_TREND_MACHINES,
    TK_TREND_CHANGED,
    TK_TREND_DRIFTS,
    TK_TREND_OPEN,
    TK_TREND_SUSPECTS,
    TK_TREND_SECTIONS
};

struct tk_trend_group {
    const struct tk_trend_event *head;           /* of a class, a parent, or the largest of the members */
    const struct tk_trend_event *const *members; /* n, the largest first, without the head; of the list */
    size_t n;
    uint8_t section;
    bool first; /* of its night: what is written down of the runs is said with it, and not again */
};

struct tk_trend_groups {
    const struct tk_trend_event **order; /* owned */
    TK_VEC(struct tk_trend_group) v;     /* owned; by section, then the newest first */
};

/* 0, or -1 if out of memory; release in both cases. */
int tk_trend_groups_make(struct tk_trend_groups *g, const struct tk_trend *t);
void tk_trend_groups_release(struct tk_trend_groups *g);

/* How many groups a section has. */
size_t tk_trend_groups_count(const struct tk_trend_groups *g, enum tk_trend_section section);

/*
 * Values of a series of a history by night, drawn: in one line, or as a picture. The report for people draws
 * with it.
 */

/* A line of heights, of at most `width` columns. */
void tk_trend_spark(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                    size_t width, bool ascii);

/* Lines of bars from the least value to the greatest, which stand on the right, behind `before`; at most
 * `width` columns of nights. Nothing where no value is known. */
void tk_trend_plot(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s,
                   const char *before, size_t width, bool ascii);

/*
 * Sentences and figures that the reports of trends for people share. Names are escaped as `put` does.
 */

/* At most two sentences, with which all reports begin: what is slower, since when and by how much, and what
 * moved with it; or what else is known of the newest of the history. Then what to do. */
void tk_trend_lead(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *g);
void tk_trend_todo(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_groups *g);

/* What was read and how it was tested: sentences, one a line, each behind `before`. */
void tk_trend_method(struct tk_print *p, const struct tk_trend *t, const char *before,
                     tk_trend_put_name *put);

/* "Tick [timer, GameThread]", "all cpu times", "timers below Tick", "the machine". */
void tk_trend_subject(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put);

/* Is one of its values 0? Its size is then that of what was added to both to have a ratio at all. */
bool tk_trend_has_no_ratio(const struct tk_trend_event *e);

/* "+10.4 % (+9.1 to +11.6)", "from 0"; of machine changes the machines. */
void tk_trend_size(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                   tk_trend_put_name *put);

/* "0.1084 to 0.1196 ms/frame", where it is of a series; whether something was printed. */
bool tk_trend_values(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put);

/* What a night is for the reader: "build" where some have several runs, else "run". */
const char *tk_trend_unit(const struct tk_trend *t);

/* "run 118, build 6503, 2025-07-11"; of runs that are files the build instead of the name. */
void tk_trend_night(struct tk_print *p, const struct tk_trend *t, uint32_t night, tk_trend_put_name *put);

/* "certain; taken back later; 97 % of the series follow it: machine or build?". */
void tk_trend_detail(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                     tk_trend_put_name *put);

/* "; driver changed from '536' to '551'": what is written down of the runs that changed with it; once for a
 * group. */
void tk_trend_notes(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                    tk_trend_put_name *put);

/* "; owner @streaming", where somebody is. */
void tk_trend_owner(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put);

/* What a night is called at an axis: its day, or its build, or its run. */
void tk_trend_tick(struct tk_print *p, const struct tk_trend *t, uint32_t night, tk_trend_put_name *put);

/* Titles of sections. */
const char *tk_trend_section_title(enum tk_trend_section section);

#endif
