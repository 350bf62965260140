/*
 * Spaces, comments and tokens of SQL.
 */
#include "sql/sql_in.h"

#include <ctype.h>
#include <string.h>

bool tk_sql_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

const char *tk_sql_skip_space(const char *p, const char *end)
{
    while (p < end) {
        if (isspace((unsigned char)*p)) {
            p++;
        } else if (end - p >= 2 && p[0] == '-' && p[1] == '-') {
            while (p < end && *p != '\n')
                p++;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
            for (p += end - p > 3 ? 3 : end - p; p < end && !(p[0] == '/' && p[-1] == '*'); p++)
                ;
            p += p < end;
        } else {
            break;
        }
    }
    return p;
}

const char *tk_sql_token_end(const char *p, const char *end)
{
    const char quote = *p == '[' ? ']' : *p;
    if (*p == '\'' || *p == '"' || *p == '`' || *p == '[') {
        for (p++; p < end && *p != quote; p++)
            ;
        return p < end ? p + 1 : end;
    }
    if (!tk_sql_is_word(*p))
        return p + 1;
    while (p < end && tk_sql_is_word(*p))
        p++;
    return p;
}

struct tk_sql_token tk_sql_token_at(const char *p, const char *end, size_t depth)
{
    struct tk_sql_token t = {.p = tk_sql_skip_space(p, end), .depth = depth};
    t.end = t.p < end ? tk_sql_token_end(t.p, end) : end;
    return t;
}

struct tk_sql_token tk_sql_token_next(const struct tk_sql_token *t, const char *end)
{
    const size_t depth = t->depth + (*t->p == '(') - (*t->p == ')' && t->depth);
    return tk_sql_token_at(t->end, end, depth);
}

bool tk_sql_token_says(const struct tk_sql_token *t, const char *word)
{
    const size_t n = strlen(word);
    return (size_t)(t->end - t->p) == n && sqlite3_strnicmp(t->p, word, (int)n) == 0;
}

bool tk_sql_token_says_one_of(const struct tk_sql_token *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (tk_sql_token_says(t, words[i]))
            return true;
    return false;
}
