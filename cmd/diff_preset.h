/*
 * trace-diff --preset: two captures side by side, as another tool shows them.
 */
#ifndef TK_CMD_DIFF_PRESET_H
#define TK_CMD_DIFF_PRESET_H

#include "capture.h"
#include "command.h"

struct tk_diff_preset_args {
    const char *preset, *path, *table;
    bool force;
};

/* The exit code. */
int tk_diff_preset(const struct tk_call *call, const struct tk_common_args *common,
                   const struct tk_diff_preset_args *args);

#endif
