/*
 * The conversions of a printf format, once its arguments were taken (printf_args.h).
 */
#ifndef TK_FORMAT_UTRACE_TEXT_PRINTF_CONVERT_H
#define TK_FORMAT_UTRACE_TEXT_PRINTF_CONVERT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
