/*
 * The options of captures whose texts become words: of edits, and of what is written of captures.
 */
#ifndef TK_CMD_ARGS_TEXT_ARGS_H
#define TK_CMD_ARGS_TEXT_ARGS_H

#include "args/opt.h"

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
