/*
 * Texts of captures: checking and converting their Unicode (UTF-8, UTF-16LE), their order and width, and
 * numbers as texts. Formats convert with it on the way in, writers on the way out.
 */
#ifndef TK_BASE_TEXT_TEXT_H
#define TK_BASE_TEXT_TEXT_H

#include "tracekit.h"

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
 * Converts UTF-16LE to UTF-8; unpaired surrogates become U+FFFD, an odd last byte is dropped. out has room
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

/* Decimal digits of a value; out has room for 20 / 21 bytes; returns the length. No NUL. */
size_t tk_put_u64(char *out, uint64_t v);
size_t tk_put_i64(char *out, int64_t v);

/*
 * The shortest decimal that reads back as the same double ("1.5", "1e+300", "0.1", "3", "-0"), a JSON number;
 * out has room for 32 bytes. With an exponent below 1e-4 and from 1e+16 on. NaN and infinities as nan, inf,
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
 * as inf and -inf. out has room for TK_PUT_FIXED bytes. Returns the length. No NUL.
 */
#define TK_PUT_FIXED 384
size_t tk_put_fixed(char *out, double v, unsigned decimals);
size_t tk_put_general(char *out, double v, unsigned digits);

#endif
