/*
 * Save: a capture becomes a run of a baseline file, or of a folder of them.
 */
#ifndef TK_CMD_RUN_SAVE_H
#define TK_CMD_RUN_SAVE_H

#include "run/command.h"

/* Adds the capture of the first operand to the baseline, which is made where there is none; a folder (one
 * that is there, or a name that ends with a slash) gets a file of it. info may be NULL. The exit code. */
enum tk_exit tk_save_run(const struct tk_call *call, const struct tk_common_args *common,
                         const struct tk_selection *select, const struct tk_run_info *info, const char *path);

/* Writes the summary of the capture, or of the runs of a baseline, to a folder of many. Likewise. */
enum tk_exit tk_save_summary(const struct tk_call *call, const struct tk_common_args *common,
                             const struct tk_selection *select, const struct tk_run_info *info,
                             const char *path);

/* Moves runs to such a place ("-": standard output). A folder names them by the time of `capture` where they
 * have none. *added: how many were not there. TK_OK or what failed. */
int tk_save_runs(struct tk_baseline *runs, const char *path, const char *capture, size_t *added,
                 struct tk_err *err);

#endif
