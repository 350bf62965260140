/*
 * Format arguments: printf formats and their packed arguments (events 0.7).
 *
 *   u8 count | a descriptor each: category in bits 6, 7 (1 integer, 2 real, 3 text), size below | payloads
 */
#ifndef TK_FORMAT_UTRACE_SCHEMA_PRINTF_ARGS_H
#define TK_FORMAT_UTRACE_SCHEMA_PRINTF_ARGS_H

#include "base/arena.h"
#include "base/cursor.h"
#include "base/vec.h"
#include "tracekit/values.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TK_UT_PRINTF_LIMIT 65536 /* bytes of a formatted text; more is cut */

/*
 * Formats into the arena; out is valid UTF-8 or, with half a surrogate pair in it, UTF-16 that is not valid.
 * Wrong and missing arguments give 0, 0.0 or an empty text, as the format says; damaged ones never read past
 * n, and *cut says that they ended early. %% gives one percent sign. TK_OK or TK_ENOMEM.
 */
int tk_ut_format(struct tk_arena *arena, const struct tk_str *format, const uint8_t *args, size_t n,
                 struct tk_str *out, bool *cut);

/*
 * Labels: a name and the values of one instance of it (events 2.4): "BasePass - 3 View0".
 */

/*
 * What is left of a format behind the name that the timer has: the run that both begin with is dropped when
 * it is longer than one character, and spaces. Points into the format.
 */
struct tk_str tk_ut_label_format(const struct tk_str *name, const struct tk_str *format);

/*
 * Name and values (CBOR, n bytes) in the arena; out is valid UTF-8. Without a format the values stand with
 * commas between them; without values the label is the name. *cut says that the values ended early. TK_OK or
 * TK_ENOMEM.
 */
int tk_ut_label(struct tk_arena *arena, const struct tk_str *name, const struct tk_str *format,
                const uint8_t *values, size_t n, struct tk_bytes *out, bool *cut);

/*
 * The conversions of a printf format, once its arguments were taken (printf_args.h).
 */

/* An argument; zero and empty where there is none. */
struct tk_ut_printf_arg {
    uint64_t integer;
    double real;
    const uint8_t *text; /* n_text bytes, without terminator */
    size_t n_text;
    uint8_t size; /* of an integer, of a character; bytes */
};

/* One conversion of a format. */
struct tk_ut_printf_spec {
    bool left, plus, space, alternate, zero, has_precision;
    uint32_t width, precision;
    uint8_t bits; /* of integers, from the length characters */
    char kind;
};

/* What was formatted; to be released with tk_vec_release. */
struct tk_ut_printf_text {
    TK_VEC(uint8_t) bytes; /* TK_UT_PRINTF_LIMIT at most; more is dropped */
    bool failed;           /* out of memory */
};

/* UTF-8 of a code point, 1 to 4 bytes; of half a surrogate pair three that UTF-8 does not have. */
size_t tk_ut_printf_code(uint8_t out[4], uint32_t code);

void tk_ut_printf_put(struct tk_ut_printf_text *t, const void *p, size_t n);
void tk_ut_printf_put_char(struct tk_ut_printf_text *t, char c, size_t count);

/* d i u o x X; f e g a and their large forms, as the C library of Linux writes them; s S as UTF-8, at most
 * `precision` characters; c p. */
void tk_ut_printf_put_integer(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s,
                              struct tk_ut_printf_arg arg);
void tk_ut_printf_put_real(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, double v);
void tk_ut_printf_put_text(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s,
                           const struct tk_ut_printf_arg *arg);
void tk_ut_printf_put_special(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, uint64_t v);

/* The low bits of v as a signed number; 0 and 64 or more bits: all. */
int64_t tk_ut_printf_signed(uint64_t v, unsigned bits);

#endif
