/*
 * A copy of a text that ends with NUL. Below all that keeps a name that it was given.
 */
#ifndef TK_BASE_TEXT_COPY_H
#define TK_BASE_TEXT_COPY_H

#include "base/text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* To be freed. NULL: out of memory. */
static inline char *tk_text_copy(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

/*
 * The byte order mark that a text in UTF-8 may begin with. Below all that reads texts which other programs
 * wrote.
 */

/* Bytes of the mark at the begin of a text of n bytes: 3, or 0 where there is none. */
static inline size_t tk_byte_order_mark(const void *text, size_t n)
{
    return n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/*
 * Quotes a CSV field (RFC 4180), for every writer of CSV: the tables, the layouts of other tools, the
 * reports. When a field needs quotes, and what becomes of invalid UTF-8 before, is for the writer to decide.
 */

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

/*
 * What spreadsheets take for a formula, quoted or not. Writers of CSV put an apostrophe before it where they
 * are requested to.
 */

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

/* What HTML and XML have for a character of a text or of an attribute in double quotes; NULL: itself. */
static inline const char *tk_markup_entity(uint32_t c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

/*
 * Writes a JSON string (RFC 8259), for every writer of JSON: the tables, the timelines, the reports. What
 * becomes of invalid UTF-8 before is for the writer to decide.
 */

/* How control characters are written that have a short escape: as \n or as \u000a. */
enum tk_json_controls { TK_JSON_SHORT, TK_JSON_HEX };

static inline bool tk_json_is_plain(uint8_t c)
{
    return c >= 0x20 && c != '"' && c != '\\' && c != '#';
}

/* Does a command of continuous integration begin here: ##[, ##vso[ or ##teamcity[? */
static inline bool tk_json_is_command(const char *p, size_t n)
{
    static const char *const names[] = {"##[", "##vso[", "##teamcity["};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (n >= length && memcmp(p, names[i], length) == 0)
            return true;
    }
    return false;
}

/* The escape of a character that is not plain; returns its length. Of '#' it is always the hexadecimal one.
 */
static inline size_t tk_json_escape(char out[6], uint8_t c, enum tk_json_controls controls)
{
    static const char named[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
    static const char hex[] = "0123456789abcdef";
    const bool short_form = named[c] && (controls == TK_JSON_SHORT || c >= 0x20);
    out[0] = '\\';
    out[1] = short_form ? named[c] : 'u';
    out[2] = out[3] = '0';
    out[4] = hex[c >> 4];
    out[5] = hex[c & 15];
    return short_form ? 2 : 6;
}

/* Writes a text, which must be valid UTF-8, with its quotes. No command of continuous integration is in it.
 */
static inline void tk_json_put_string(void *to, tk_text_put *put, const char *p, size_t n,
                                      enum tk_json_controls controls)
{
    char escape[6];
    put(to, "\"", 1);
    for (size_t at = 0; at < n; at++) {
        size_t from = at;
        while (at < n &&
               (tk_json_is_plain((uint8_t)p[at]) || (p[at] == '#' && !tk_json_is_command(p + at, n - at))))
            at++;
        put(to, p + from, at - from);
        if (at < n)
            put(to, escape, tk_json_escape(escape, (uint8_t)p[at], controls));
    }
    put(to, "\"", 1);
}

#endif
