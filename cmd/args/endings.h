/*
 * Endings: which formats the name of an output asks for.
 */
#ifndef TK_CMD_ARGS_ENDINGS_H
#define TK_CMD_ARGS_ENDINGS_H

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
 * the format, or is one of files that cannot be written; NULL with an empty sentence where nothing tells.
 */
const char *tk_endings_format(const struct tk_ending *endings, const char *format, const char *path,
                              const char *usual, char message[TK_OPT_MESSAGE]);

#endif
