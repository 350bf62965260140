/*
 * Writes a JSON string (RFC 8259), for every writer of JSON: the tables, the timelines, the reports. What
 * becomes of invalid UTF-8 before is for the writer to decide.
 */
#ifndef TK_BASE_TEXT_JSON_ESCAPE_H
#define TK_BASE_TEXT_JSON_ESCAPE_H

#include "base/text/text.h"

#include <string.h>

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
