/*
 * Memory: options about which allocations are shown as alive.
 */
#ifndef TK_CMD_ARGS_MEMORY_ARGS_H
#define TK_CMD_ARGS_MEMORY_ARGS_H

#include "args/opt.h"

#include <tracekit.h>

struct tk_memory_args {
    const char *at;
    struct tk_opt_list window; /* two or three times */
};

#define TK_MEMORY_COUNT 2

extern const struct tk_opt tk_memory_options[TK_MEMORY_COUNT];

/* Fills in the query's part; false with a sentence when the options are wrong. */
bool tk_memory_fill(struct tk_memory_query *out, const struct tk_memory_args *args,
                    char message[TK_OPT_MESSAGE]);

#endif
