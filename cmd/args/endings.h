/*
 * Endings: which formats the name of an output requests.
 */
#ifndef TK_ARGS_ENDINGS_H
#define TK_ARGS_ENDINGS_H

#include "args/opt.h"

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

#endif
