/*
 * Overwrite: outputs that would replace an input.
 */
#ifndef TK_CMD_ARGS_OVERWRITE_H
#define TK_CMD_ARGS_OVERWRITE_H

#include "args/opt.h"

/* The file of an output (--output, --report, --write-budget) that is also one of the operands, or NULL:
 * --force would put what is made of a capture in its place. */
const char *tk_overwrite_find(const struct tk_opt_set *set, const struct tk_opt_list *operands);

/* The file that both --output and --index name, or NULL: one would take the place of the other. */
const char *tk_overwrite_twice(const struct tk_opt_set *set);

#endif
