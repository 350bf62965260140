/*
 * What spreadsheets take for a formula, quoted or not. Writers of CSV put an apostrophe before it where they
 * are asked to.
 */
#ifndef TK_BASE_TEXT_FORMULA_H
#define TK_BASE_TEXT_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool tk_looks_like_formula(const char *p, size_t n)
{
    /* the signs in full width: some programs take them for the others */
    static const char wide[][4] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d", "\xef\xbc\xa0"};
    if (n && memchr("=+-@\t\r\n", p[0], 7))
        return true;
    for (size_t i = 0; n >= 3 && i < sizeof wide / sizeof *wide; i++)
        if (memcmp(p, wide[i], 3) == 0)
            return true;
    return false;
}

#endif
