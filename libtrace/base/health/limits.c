/*
 * The limits of limits.h as a table. Errors and the public list of limits take names and defaults from it.
 */
#include "base/health/limits.h"

#include "base/health/health.h"

#include <stdio.h>
#include <string.h>

/*
 * Errors of reached limits. It joins the list of causes (err.h) and the names of limits (limits.h).
 */

int tk_err_limit(struct tk_err *err, enum tk_limit limit, const char *fmt, ...)
{
    if (!err)
        return TK_ELIMIT;
    va_list ap;
    va_start(ap, fmt);
    tk_err_vset(err, TK_ELIMIT, fmt, ap);
    va_end(ap);
    tk_limit_tell(err->text[0], TK_ERR_TEXT, limit);
    return TK_ELIMIT;
}

const struct tk_str tk_beyond_limit = {"(beyond the limit)", 18, TK_ENC_UTF8};

static const struct {
    const char *name;
    size_t offset; /* in struct tk_limits */
} limit_table[] = {
#define LIMIT_ROW(name, value, help) {#name, offsetof(struct tk_limits, name)},
    TK_LIMITS(LIMIT_ROW)
#undef LIMIT_ROW
};

enum { N_LIMITS = sizeof limit_table / sizeof limit_table[0] };

struct tk_limits tk_limits_default(void)
{
    return (struct tk_limits){
#define LIMIT_VALUE(name, value, help) .name = (value),
        TK_LIMITS(LIMIT_VALUE)
#undef LIMIT_VALUE
    };
}

int tk_limits_set(struct tk_limits *limits, const char *name, size_t len, uint64_t value)
{
    for (size_t i = 0; i < N_LIMITS; i++) {
        if (strlen(limit_table[i].name) == len && memcmp(limit_table[i].name, name, len) == 0) {
            memcpy((char *)limits + limit_table[i].offset, &value, sizeof value);
            return TK_OK;
        }
    }
    return TK_EUSAGE;
}

void tk_limit_tell(char *text, size_t capacity, enum tk_limit limit)
{
    const char *name = limit_table[limit].name;
    char end[96];
    int n = snprintf(end, sizeof end, " (limit '%s': --limit %s=NUMBER sets another)", name, name);
    size_t have = strlen(text), most = capacity - 1 - (size_t)n;
    /* not inside of a character */
    for (have = have < most ? have : most; have > 0 && ((unsigned char)text[have] & 0xc0) == 0x80; have--)
        continue;
    memcpy(text + have, end, (size_t)n + 1);
}
