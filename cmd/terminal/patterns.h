/*
 * Patterns of files among the operands, where the shell has not replaced them by names.
 */
#ifndef TK_CMD_TERMINAL_PATTERNS_H
#define TK_CMD_TERMINAL_PATTERNS_H

#include "terminal/message.h"

/*
 * Replaces the first `n` operands that are patterns by the names that they match, in the order of their
 * bytes: * and ? in the last part of a path, where no file has that name; capitals do not count, and names
 * that begin with a dot match patterns that do. One that matches nothing stays where `lenient`. Else false,
 * with a sentence, empty if out of memory.
 */
bool tk_patterns_expand(struct tk_opt_list *operands, size_t n, bool lenient, char message[TK_OPT_MESSAGE]);

#endif
