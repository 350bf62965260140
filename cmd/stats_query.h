/*
 * trace-stats over a capture: its arguments as a query, and the answer.
 */
#ifndef TK_CMD_STATS_STATS_QUERY_H
#define TK_CMD_STATS_STATS_QUERY_H

#include "run/report.h"
#include "stats_args.h"

/* Fills the rest of the report, whose format is known, and runs it. The exit status. */
int tk_stats_answer(const struct tk_stats_args *args, struct tk_report *report);

#endif
