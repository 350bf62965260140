/*
 * trace-diff --preset: two captures side by side, as another tool shows them.
 */
#ifndef TK_CMD_BESIDE_DIFF_PRESET_H
#define TK_CMD_BESIDE_DIFF_PRESET_H

#include "run/capture.h"
#include "run/command.h"

struct tk_diff_preset_args {
    const char *preset, *path, *table;
    bool force;
};

/* Is each option one for what is asked: verdicts, two captures side by side, or a preset? true, or false with
 * a sentence. */
bool tk_diff_preset_fit(const struct tk_opt_set *set, char message[TK_OPT_MESSAGE]);

/* The exit code. */
int tk_diff_preset(const struct tk_call *call, const struct tk_common_args *common,
                   const struct tk_diff_preset_args *args);

#endif
