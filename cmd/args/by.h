/*
 * By: the words of `--by`.
 */
#ifndef TK_CMD_ARGS_BY_H
#define TK_CMD_ARGS_BY_H

#include "args/opt.h"

#include <tracekit.h>

/* What rows of the table `groups` are for. */
#define TK_BY_GROUPINGS (TK_BY_CLASS | TK_BY_FILE | TK_BY_LABEL | TK_BY_REGION | TK_BY_FRAME_TYPE)

/* The words there are; ended by NULL. Static. */
const char *const *tk_by_words(void);

/* The words of an option ("--by") as bits (TK_BY_...). true, or false with a sentence. */
bool tk_by_fill(unsigned *by, const struct tk_opt_list *words, const char *option,
                char message[TK_OPT_MESSAGE]);

/* Are the tables there that groupings are for? Groupings that several tables have are for any. false with a
 * sentence. */
bool tk_by_check(const struct tk_query *query, char message[TK_OPT_MESSAGE]);

#endif
