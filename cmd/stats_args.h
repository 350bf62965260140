/*
 * The arguments of trace-stats.
 */
#ifndef TK_CMD_STATS_STATS_ARGS_H
#define TK_CMD_STATS_STATS_ARGS_H

#include "args/memory_args.h"
#include "args/questions.h"
#include "args/row_args.h"
#include "args/select.h"
#include "args/table_plan.h"
#include "args/text_args.h"
#include "run/command.h"
#include "pages/out.h"

struct tk_stats_args {
    struct tk_common_args common;
    struct tk_out_args out;
    struct tk_select_args select;
    struct tk_plan_args plan;
    struct tk_questions_args deep;
    struct tk_row_args rows;
    struct tk_memory_args memory;
    struct tk_opt_list by;
    struct tk_opt_list run_info;
    const char *save, *summary, *idle, *list;
    bool follow, plot;
    struct tk_text_args texts;
};

#endif
