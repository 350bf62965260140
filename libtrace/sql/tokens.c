/*
 * Spaces, comments and tokens of SQL.
 */
#include "sql/sql_in.h"

#include <ctype.h>

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
