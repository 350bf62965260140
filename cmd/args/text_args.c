/*
 * Options for texts. See text_args.h.
 */
#include "args/text_args.h"

#define AT(member) offsetof(struct tk_text_args, member)

const struct tk_opt tk_text_options[TK_TEXT_COUNT] = {
    {0, "anonymise", TK_OPT_MAYBE, AT(anonymise), "CLASS,...",
     "words in place of texts: users, addresses, paths, commands, project, logs, assets, objects, functions, "
     "names, pictures, sources, timers, all; without a value all but timers"},
    {0, "keep-text", TK_OPT_LIST, AT(keep_text), "GLOB", "but not of these texts; may be repeated"},
    {0, "key", TK_OPT_TEXT, AT(key), "FILE",
     "the same word for the same text with the same key (default: a random one)"},
};
