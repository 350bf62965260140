/*
 * What pages of comparisons and of budgets share: HTML without any script, in which names are text.
 */
#ifndef TK_COMPARE_REPORT_REPORT_HTML_H
#define TK_COMPARE_REPORT_REPORT_HTML_H

#include "compare/report/report.h"

/* Begins and ends a page: `title` is a text of ours. */
void tk_report_html_begin(struct tk_print *p, const char *title);
void tk_report_html_end(struct tk_print *p);

/* Begins a table with its columns, ended by one without a title; page/markup.h ends it. */
struct tk_report_column {
    const char *title;
    bool numbers;
};
void tk_report_html_table(struct tk_print *p, const char *name, const char *caption,
                          const struct tk_report_column *columns);

/* The lines of a text that was made for a terminal, as items of a list; frees it. */
void tk_report_html_lines(struct tk_print *p, struct tk_print *text);

/* A text that was made for a line, escaped; frees it. What begins with "; " begins without. */
void tk_report_html_text(struct tk_print *p, struct tk_print *text);

/* The values of single runs: circles above for the baseline, diamonds below for the candidate, ticks at the
 * means. Nothing where there are none. */
void tk_report_html_runs(struct tk_print *p, const struct tk_comparison *c, const struct tk_change *change);

/* The change with its interval on an axis that all rows share. */
void tk_report_html_interval(struct tk_print *p, const struct tk_change *change);

/* How long calls are, before as a line and after filled. Nothing where it is not known. */
void tk_report_html_calls(struct tk_print *p, const struct tk_change *change);

/* Recorded pictures of the longest frames of each side; nothing where there are none. */
bool tk_report_has_pictures(const struct tk_comparison *c);
void tk_report_html_pictures(struct tk_print *p, const struct tk_comparison *c);

/* Which share of the frames of each side stays below which time. Nothing where there are no frames. */
void tk_report_html_shares(struct tk_print *p, const struct tk_comparison *c);

/* The call paths of both sides as a flame graph: as wide as the longer side, coloured by the change of own
 * time. */
void tk_report_html_flame(struct tk_print *p, const struct tk_comparison *c);

#endif
