/*
 * Tokens of SQL as SQLite has them: a word, a text in quotes, a name in quotes or brackets, or one character.
 */
#ifndef TK_SQL_TOKENS_H
#define TK_SQL_TOKENS_H

#include <stdbool.h>

bool tk_sql_is_word(char c);

/* Behind spaces and comments. */
const char *tk_sql_skip_space(const char *p, const char *end);

/* The end of the token that begins at p < end. */
const char *tk_sql_token_end(const char *p, const char *end);

#endif
