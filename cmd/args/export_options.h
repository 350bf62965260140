/*
 * Fit: options of trace-export that only some formats and presets have.
 */
#ifndef TK_ARGS_EXPORT_OPTIONS_H
#define TK_ARGS_EXPORT_OPTIONS_H

#include "args/opt.h"
#include "tracekit/queries.h"

#include <stddef.h>

/* Does the format or the preset (one of them NULL) have all options that were given? true, or false with a
 * sentence. */
bool tk_export_fit(const struct tk_opt_set *set, const char *format, const char *preset,
                   char message[TK_OPT_MESSAGE]);

/*
 * Memory: options about which allocations are displayed as alive.
 */

struct tk_memory_args {
    const char *at, *allocators;
    struct tk_opt_list window; /* two or three times */
};

#define TK_MEMORY_COUNT 3

extern const struct tk_opt tk_memory_options[TK_MEMORY_COUNT];

/* Fills in the query's parts; query->allocators is owned (free) by the caller. false with a sentence when the
 * options are wrong. */
bool tk_memory_fill(struct tk_query *query, const struct tk_memory_args *args, char message[TK_OPT_MESSAGE]);

/*
 * Partitions: what a capture is called in a folder that many captures are exported to.
 */

/*
 * The name of the file without folder and endings (.utrace, .tracy, of compression), of letters and digits of
 * ASCII, '.', '_' and '-' alone: "my game.utrace.zst" is "my_game". capacity: of the name with its NUL;
 * longer ones are cut.
 */
void tk_partition_name(const char *path, char *name, size_t capacity);

#endif
