/*
 * trace-diff --memory, --samples: a table of two captures, the one alongside the other.
 */
#ifndef TK_RUN_SIDE_BY_SIDE_H
#define TK_RUN_SIDE_BY_SIDE_H

#include "args/select.h"
#include "run/capture.h"
#include "run/command.h"

struct tk_side_by_side_args {
    const char *memory; /* by what, with commas; NULL: not requested */
    bool samples, force, guard;
    const struct tk_select_args *select;
    const char *path; /* NULL: standard output */
};

/* The exit code. */
int tk_side_by_side(const struct tk_call *call, const struct tk_common_args *common,
                    const struct tk_side_by_side_args *args);

/*
 * trace-diff --preset: two captures side by side, as another tool shows them.
 */

struct tk_diff_preset_args {
    const char *preset, *path, *table;
    bool force;
};

/* Is each option one for what is requested: verdicts, two captures side by side, or a preset? true, or false
 * with a sentence. */
bool tk_diff_preset_fit(const struct tk_opt_set *set, char message[TK_OPT_MESSAGE]);

/* The exit code. */
int tk_diff_preset(const struct tk_call *call, const struct tk_common_args *common,
                   const struct tk_diff_preset_args *args);

#endif
