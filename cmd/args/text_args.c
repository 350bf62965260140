/*
 * Options for texts. See text_args.h.
 */
#include "args/text_args.h"

#define AT(member) offsetof(struct tk_text_args, member)

const struct tk_opt tk_text_options[TK_TEXT_COUNT] = {
    {0, "anonymise", TK_OPT_MAYBE, AT(anonymise), "CLASS,...",
     "replace texts by pseudonyms: users, addresses, paths, commands, project, logs, assets, objects, "
     "functions, "
     "names, pictures, sources, timers, all; without a value all but timers"},
    {0, "keep-text", TK_OPT_LIST, AT(keep_text), "GLOB", "leave these texts as they are; may be repeated"},
    {0, "key", TK_OPT_TEXT, AT(key), "FILE",
     "derive pseudonyms from this key, so that a text always gets the same pseudonym (default: a random "
     "key)"},
};
