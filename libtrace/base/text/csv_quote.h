/*
 * Quotes a CSV field (RFC 4180), for every writer of CSV: the tables, the layouts of other tools, the
 * reports. When a field needs quotes, and what becomes of invalid UTF-8 before, is for the writer to decide.
 */
#ifndef TK_BASE_TEXT_CSV_QUOTE_H
#define TK_BASE_TEXT_CSV_QUOTE_H

#include "base/text/text.h"

#include <string.h>

/* Writes the field in double quotes; quotes inside are doubled, other bytes stay as they are. */
static inline void tk_csv_quote(void *to, tk_text_put *put, const char *p, size_t n)
{
    put(to, "\"", 1);
    while (n) {
        const char *quote = memchr(p, '"', n);
        const size_t some = quote ? (size_t)(quote - p) + 1 : n;
        put(to, p, some);
        if (quote)
            put(to, "\"", 1);
        p += some;
        n -= some;
    }
    put(to, "\"", 1);
}

#endif
