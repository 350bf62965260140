/*
 * trace-stats --list: the tables that there are, without a capture.
 */
#ifndef TK_CMD_STATS_STATS_LIST_H
#define TK_CMD_STATS_STATS_LIST_H

#include "run/report.h"
#include "stats_args.h"

/* Lists them as the report says. The exit status. */
int tk_stats_list(struct tk_report *report, const struct tk_stats_args *args);

#endif
