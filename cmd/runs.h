/*
 * Runs: from operands (captures, baselines, folders of them) to the runs of one side of a comparison.
 */
#ifndef TK_CMD_RUNS_H
#define TK_CMD_RUNS_H

#include "command.h"

struct tk_runs {
    const char *program;
    const struct tk_common_args *common;
    const struct tk_selection *select; /* of captures; baselines have none */
    bool selects;                      /* something is selected */
    bool skip;                         /* what cannot be read is told and left out */
    struct tk_baseline *baseline;      /* owned */
};

/* Adds the runs of a path. TK_EXIT_DONE, TK_EXIT_DAMAGED, or the exit code after telling why not. */
enum tk_exit tk_runs_add(struct tk_runs *runs, const char *path);

#endif
