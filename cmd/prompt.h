/*
 * The prompt of trace-query: statements and commands, line by line.
 */
#ifndef TK_CMD_SQL_PROMPT_H
#define TK_CMD_SQL_PROMPT_H

#include "query_answer.h"

/* Asks until the end of standard input or .quit. Statements that fail are told, and it goes on. TK_OK or
 * TK_ENOMEM. */
int tk_prompt_run(struct tk_query_answer *answer);

#endif
