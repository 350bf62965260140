/*
 * trace-diff --memory, --samples: a table of two captures, the one beside the other.
 */
#ifndef TK_CMD_BESIDE_SIDE_BY_SIDE_H
#define TK_CMD_BESIDE_SIDE_BY_SIDE_H

#include "args/select.h"
#include "run/capture.h"
#include "run/command.h"

struct tk_side_by_side_args {
    const char *memory; /* by what, with commas; NULL: not asked for */
    bool samples, force, guard;
    const struct tk_select_args *select;
    const char *path; /* NULL: standard output */
};

/* The exit code. */
int tk_side_by_side(const struct tk_call *call, const struct tk_common_args *common,
                    const struct tk_side_by_side_args *args);

#endif
