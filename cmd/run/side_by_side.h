/*
 * Captures: `--by capture`, timers of several captures side by side and what became of them.
 */
#ifndef TK_CMD_RUN_SIDE_BY_SIDE_H
#define TK_CMD_RUN_SIDE_BY_SIDE_H

#include "args/table_plan.h"
#include "run/command.h"
#include "show/out.h"

struct tk_side_by_side {
    const struct tk_call *call; /* with the captures */
    const struct tk_common_args *common;
    const struct tk_out_args *out;
    const struct tk_plan_args *plan; /* --table (groups, trend) and --top; others are refused */
    const char *format;
    const struct tk_query *query; /* unit and selection */
};

/* Reads all, then writes. The exit code. */
int tk_side_by_side_run(const struct tk_side_by_side *c);

#endif
