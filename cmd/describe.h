/*
 * Describe: commands, options and the words that options take, as lines for the generators of manuals and
 * completions.
 */
#ifndef TK_CMD_DESCRIBE_H
#define TK_CMD_DESCRIBE_H

#include "run/command.h"

/*
 * Prints lines of cells with tabs between them:
 *
 *   command  name operands summary
 *   help     a line of the help
 *   group    title; what follows is in it
 *   option   brief ("" for none), long name, value ("" where it takes none), "may" where the value may be
 *            missing, "words" where commas may stand between several values, what the value is, help
 *   words    name of a list, then its words
 *   export   name help
 *   preset   name help; what tables it has is the list of words "preset-NAME"
 *   table    name help
 *   column   table name help
 *   limit    name default help
 *
 * What a value is: the name of a list of words, "file", or "" for anything.
 */
void tk_describe(const struct tk_command *const *commands, size_t n, FILE *to);

#endif
