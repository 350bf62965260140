/*
 * History: from operands (captures, baselines, folders of them) to a history, a few files at a time.
 */
#ifndef TK_CMD_RUN_HISTORY_H
#define TK_CMD_RUN_HISTORY_H

#include "run/command.h"

struct tk_history_reading {
    const char *program;
    const struct tk_common_args *common;
    bool skip; /* what cannot be read is told and left out */
    enum tk_history_order order;
    const struct tk_run_info *info; /* what is said of the captures; NULL: nothing. Borrowed */
    struct tk_history *history;     /* borrowed */
};

/* Adds the runs of all paths and orders them. TK_EXIT_DONE, TK_EXIT_DAMAGED, or the exit code after telling
 * why not. */
enum tk_exit tk_history_collect(const struct tk_history_reading *reading, const struct tk_opt_list *paths);

#endif
