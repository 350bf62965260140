/*
 * Texts of captures: checking and converting their Unicode (UTF-8, UTF-16LE), their order and width, and
 * numbers as texts. Formats convert with it on the way in, writers on the way out.
 */
#ifndef TK_BASE_TEXT_TEXT_H
#define TK_BASE_TEXT_TEXT_H

#include "tracekit/values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A struct tk_str of a text that stands in the source, for tables of them. */
#define TK_STR_OF(text)                                                                                      \
    {                                                                                                        \
        text, sizeof text - 1, TK_ENC_UTF8                                                                   \
    }

/* Is this valid UTF-8 (no surrogates, no overlong forms)? */
bool tk_utf8_valid(const void *p, size_t n);

/* The next code point of UTF-8 and its length in *len (1 for an invalid byte, which gives 0xFFFD). n >= 1. */
uint32_t tk_utf8_next(const uint8_t *p, size_t n, size_t *len);

/* Writes a code point as UTF-8; returns 1..4. Surrogates and values above 0x10FFFF are written as U+FFFD. */
size_t tk_utf8_put(uint8_t out[4], uint32_t cp);

/* Is UTF-16LE of n bytes valid (even length, surrogates paired)? */
bool tk_utf16_valid(const void *p, size_t n);

/* The next code point of UTF-16LE and its length in *len; an unpaired surrogate is given as it is. n >= 2. */
uint32_t tk_utf16_next(const uint8_t *p, size_t n, size_t *len);

static inline bool tk_is_surrogate(uint32_t cp)
{
    return cp >= 0xd800 && cp <= 0xdfff;
}

/*
 * Converts UTF-16LE to UTF-8; unpaired surrogates become U+FFFD, an odd last byte is dropped. out has space
 * for 3 * (n / 2) bytes. Returns the bytes written.
 */
size_t tk_utf16_to_utf8(uint8_t *out, const void *p, size_t n);

/*
 * Columns that a UTF-8 text takes on a terminal: combining marks and formatting characters 0, East Asian wide
 * characters 2, everything else (invalid bytes and controls, which must be replaced before, too) 1.
 */
size_t tk_utf8_width(const void *p, size_t n);

/* Orders texts by their bytes, a shorter one before what it begins; NULL comes first. As strcmp. */
int tk_str_order(const struct tk_str *a, const struct tk_str *b);

/* Where functions that write a text put its pieces: a buffer, a string that grows. */
typedef void tk_text_put(void *to, const char *p, size_t n);

/* Decimal digits of a value; out has space for 20 / 21 bytes; returns the length. No NUL. */
size_t tk_put_u64(char *out, uint64_t v);
size_t tk_put_i64(char *out, int64_t v);

/*
 * The shortest decimal that reads back as the same double ("1.5", "1e+300", "0.1", "3", "-0"), a JSON number;
 * out has space for 32 bytes. With an exponent below 1e-4 and from 1e+16 on. NaN and infinities as nan, inf,
 * -inf. Returns the length. No NUL. Independent of the locale.
 */
size_t tk_put_real(char *out, double v);

/* The same of v in `digits` significant digits, less than 15, rounded as printf does; without zeros behind.
 */
size_t tk_put_rounded(char *out, double v, unsigned digits);

/* The same for a float: the shortest decimal that reads back as the same float. */
size_t tk_put_real32(char *out, float v);

/*
 * As printf's %.*f and %.*g write it, whatever the locale: `decimals` or `digits` (1..17) of them; infinities
 * as inf and -inf. out has space for TK_PUT_FIXED bytes. Returns the length. No NUL.
 */
#define TK_PUT_FIXED 384
size_t tk_put_fixed(char *out, double v, unsigned decimals);
size_t tk_put_general(char *out, double v, unsigned digits);

/*
 * Texts of captures as they are displayed to people: the one place that says which characters are not safe to
 * show, and what stands for them. Tables, reports and messages ask here.
 */

#define TK_SHOW_QUOTED 1u /* as inside double quotes: " and \ get a backslash */
#define TK_SHOW_ASCII  2u /* nothing outside ASCII */

enum { TK_DISPLAY_BYTES = 16 };

/* Does a character steer a terminal, or hide or turn round what follows: controls, marks of direction, what
 * has no width? */
bool tk_is_unsafe(uint32_t c);

/* What stands for an unsafe character: \x1b, \u202e, \U000e0041. Returns its length. */
size_t tk_unsafe_escape(char out[TK_DISPLAY_BYTES], uint32_t c);

/* What was displayed of a text so far. Zero-initialise to begin. */
struct tk_display {
    uint32_t before; /* the last character */
    bool begun;      /* it has something else than spaces */
};

/*
 * How a character of a text is displayed; `next` is the one behind it, 0 at the end. A line feed is \n inside
 * of quotes, where \ gets a backslash, and else the sign for it, which cannot be taken for the two
 * characters. What continuous integration would obey (:: in front, ##[, ##vso[ and ##teamcity[ anywhere) is
 * broken by a backslash. Returns the bytes written.
 */
size_t tk_show(struct tk_display *s, uint32_t c, uint32_t next, unsigned flags, char out[TK_DISPLAY_BYTES]);

/* Does a backslash belong before a character, outside of quotes, because a runner of continuous integration
 * would obey what it begins? Notes that the character is displayed. */
bool tk_display_breaks(struct tk_display *s, uint32_t c, uint32_t next);

/* All of a text, whose invalid bytes become U+FFFD. */
void tk_show_text(void *to, tk_text_put *put, const char *p, size_t n, unsigned flags);

/*
 * Points in time as people and programs write them down: seconds since 1970 and ISO 8601, always in UTC. What
 * is said of runs is read with it, and files of a history are named by it.
 */

/* "2026-11-23T21:05:42Z" with its NUL; years have four digits. */
#define TK_WHEN_TEXT 21

/*
 * Reads a point in time: a day "2026-11-23", or with a time "2026-11-23T21:05[:42[.5]]" (a space will do for
 * the T), and behind that a zone "Z", "+01:00", "-0730", "+01"; or the seconds since 1970 as digits. Without
 * a zone it is UTC. Fractions are dropped. false: it is none of these, or of no year from 1970 to 9999.
 */
bool tk_when_read(const char *text, int64_t *seconds);

/* Writes it in the first form with seconds and Z; what is outside of the years 1970 to 9999 is put there. */
void tk_when_put(char out[TK_WHEN_TEXT], int64_t seconds);

#endif
