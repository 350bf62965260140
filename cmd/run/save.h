/*
 * Save: a capture becomes a run of a baseline file.
 */
#ifndef TK_CMD_RUN_SAVE_H
#define TK_CMD_RUN_SAVE_H

#include "run/command.h"

/* Adds the capture of the first operand to the baseline, which is made where there is none. The exit code. */
enum tk_exit tk_save_run(const struct tk_call *call, const struct tk_common_args *common,
                         const struct tk_selection *select, const char *path);

#endif
