/*
 * What trace-stats makes of a capture: the rows of a query, as they are asked for, or the first page.
 */
#ifndef TK_CMD_STATS_STATS_PRODUCE_H
#define TK_CMD_STATS_STATS_PRODUCE_H

#include "args/row_args.h"
#include "args/table_plan.h"
#include "pages/stats_page.h"

struct tk_stats {
    struct tk_query query;
    struct tk_plan_args asked; /* with the tables of the questions; its lists are borrowed but `tables` */
    struct tk_opt_list tables; /* owned */
    struct tk_row_filtering rows;
    struct tk_plan plan;
    const char **with_warnings; /* owned: the tables of the query and one more; or NULL */
    const char *program;
    bool page;                      /* nothing was asked: the first page for people */
    bool folds;                     /* threads without scopes are one line */
    struct tk_stats_page_look look; /* of it */
};

/* As of a report (tk_report.produce); ctx is a tk_stats. */
int tk_stats_produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

/* Is only a part of the time asked for? */
bool tk_stats_has_times(const struct tk_selection *select);

#endif
