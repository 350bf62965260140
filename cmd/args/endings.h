/*
 * Endings: which formats the name of an output requests.
 */
#ifndef TK_ARGS_ENDINGS_H
#define TK_ARGS_ENDINGS_H

#include "args/opt.h"
#include "tracekit/queries.h"

#include <stddef.h>

/* What an ending stands for, as "csv". */
struct tk_ending {
    const char *ending; /* without the dot; may have one inside */
    const char *format; /* taken where none is named; NULL: files that the command cannot write */
    const char *others; /* formats that go with it, too: words; NULL: none */
};

/* Of rows of tables, and of exports. The last one has no ending. */
extern const struct tk_ending tk_endings_of_tables[], tk_endings_of_exports[];

/*
 * The format for an output: `format` where one is named, else what the ending of the path (behind .gz, .zst
 * and .lz4) stands for, else `usual`, which may be NULL. NULL with a sentence where the ending contradicts
 * the format, or is one of files that cannot be written; NULL with an empty sentence where nothing says.
 */
const char *tk_endings_format(const struct tk_ending *endings, const char *format, const char *path,
                              const char *usual, char message[TK_OPT_MESSAGE]);

/*
 * Overwrite: outputs that would replace an input.
 */

/* The file of an output (--output, --report, --write-budget) that is also one of the operands, or NULL:
 * --force would put what is made of a capture in its place. */
const char *tk_overwrite_find(const struct tk_opt_set *set, const struct tk_opt_list *operands);

/* The file that both --output and --index name, or NULL: one would take the place of the other. */
const char *tk_overwrite_twice(const struct tk_opt_set *set);

/*
 * The options of captures whose texts become words: of edits, and of what is written of captures.
 */

struct tk_text_args {
    const char *anonymise, *key;
    struct tk_opt_list keep_text;
};

#define TK_TEXT_COUNT 3

extern const struct tk_opt tk_text_options[TK_TEXT_COUNT];

/* A group of them; `at` is where struct tk_text_args is in the command's arguments. */
#define TK_TEXT_GROUP(at)                                                                                    \
    {                                                                                                        \
        "Texts", tk_text_options, TK_TEXT_COUNT, (at)                                                        \
    }

/*
 * Fit: options of trace-export that only some formats and presets have.
 */

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
