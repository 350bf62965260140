/*
 * Memory: options about which allocations are shown as alive.
 */
#ifndef TK_CMD_ARGS_MEMORY_ARGS_H
#define TK_CMD_ARGS_MEMORY_ARGS_H

#include "args/opt.h"

#include <tracekit.h>

struct tk_memory_args {
    const char *at, *allocators;
    struct tk_opt_list window; /* two or three times */
};

#define TK_MEMORY_COUNT 3

extern const struct tk_opt tk_memory_options[TK_MEMORY_COUNT];

/* Fills in the query's parts; query->allocators is owned (free) by the caller. false with a sentence when the
 * options are wrong. */
bool tk_memory_fill(struct tk_query *query, const struct tk_memory_args *args, char message[TK_OPT_MESSAGE]);

#endif
