/*
 * Conversions of real numbers in a printf format: see printf_convert.h. The same text on every system:
 * decimal digits are those of the C library, which are exact everywhere; what C libraries write in ways of
 * their own is written here.
 */
#include "format/utrace/schema/printf_convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRACTION_BITS = 52, FRACTION_DIGITS = FRACTION_BITS / 4, EXPONENT_BITS = 11 };

#define FRACTION (UINT64_MAX >> (64 - FRACTION_BITS))

static size_t put_sign(char *out, const struct tk_ut_printf_spec *s, uint64_t bits)
{
    const char sign = (char)(bits >> 63 ? '-' : s->plus ? '+' : s->space ? ' ' : 0);
    *out = sign;
    return sign != 0;
}

/* Infinite, or no number. Zeros are not put in front of words. */
static void put_word(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, uint64_t bits)
{
    char text[4];
    const bool large = s->kind >= 'A' && s->kind <= 'Z';
    const char *word = bits & FRACTION ? large ? "NAN" : "nan" : large ? "INF" : "inf";
    const size_t n = put_sign(text, s, bits), pad = s->width > n + 3 ? s->width - n - 3 : 0;
    tk_ut_printf_put_char(out, ' ', s->left ? 0 : pad);
    tk_ut_printf_put(out, text, n);
    tk_ut_printf_put(out, word, 3);
    tk_ut_printf_put_char(out, ' ', s->left ? pad : 0);
}

/* The digits of a number in hexadecimal form: before the point, behind it, and what the whole is scaled by.
 */
struct hex {
    unsigned first;
    uint64_t behind; /* `n` digits */
    unsigned n;
    int exponent;
};

/* Digits that are cut are rounded to the nearest, of two to the even one. */
static struct hex hex_of(uint64_t bits, const struct tk_ut_printf_spec *s)
{
    const int exponent = (int)(bits >> FRACTION_BITS & ((1u << EXPONENT_BITS) - 1));
    uint64_t digits = (bits & FRACTION) | (uint64_t)(exponent != 0) << FRACTION_BITS;
    struct hex h = {.n = FRACTION_DIGITS,
                    .exponent = !digits    ? 0
                                : exponent ? exponent - 1023
                                           : -1022}; /* the bias, the smallest */
    if (s->has_precision && s->precision < FRACTION_DIGITS) {
        const unsigned cut = 4 * (FRACTION_DIGITS - s->precision);
        const uint64_t half = UINT64_C(1) << (cut - 1), rest = digits & (half * 2 - 1);
        digits >>= cut;
        digits += rest > half || (rest == half && (digits & 1));
        h.n = s->precision;
    }
    while (!s->has_precision && h.n && (digits & 15) == 0) {
        digits >>= 4;
        h.n--;
    }
    h.first = (unsigned)(digits >> (4 * h.n));
    h.behind = digits & ~(UINT64_MAX << (4 * h.n));
    return h;
}

static void put_hex(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, uint64_t bits)
{
    char front[8], digits[FRACTION_DIGITS + 1], back[8];
    const bool large = s->kind == 'A';
    const struct hex h = hex_of(bits, s);
    size_t n_front = put_sign(front, s, bits);
    const size_t zeros = s->has_precision && s->precision > h.n ? s->precision - h.n : 0;
    memcpy(front + n_front, large ? "0X" : "0x", 2);
    n_front += 2;
    for (unsigned i = 0; i < h.n; i++)
        digits[i] = (large ? "0123456789ABCDEF" : "0123456789abcdef")[h.behind >> (4 * (h.n - 1 - i)) & 15];
    const size_t n_back = (size_t)snprintf(back, sizeof back, "%c%+d", large ? 'P' : 'p', h.exponent);
    const bool point = h.n || zeros || s->alternate;
    const size_t total = n_front + 1 + point + h.n + zeros + n_back,
                 pad = s->width > total ? s->width - total : 0;
    const bool filled = s->zero && !s->left;
    const char first = (char)('0' + h.first);
    tk_ut_printf_put_char(out, ' ', s->left || filled ? 0 : pad);
    tk_ut_printf_put(out, front, n_front);
    tk_ut_printf_put_char(out, '0', filled ? pad : 0);
    tk_ut_printf_put(out, &first, 1);
    tk_ut_printf_put(out, ".", point);
    tk_ut_printf_put(out, digits, h.n);
    tk_ut_printf_put_char(out, '0', zeros);
    tk_ut_printf_put(out, back, n_back);
    tk_ut_printf_put_char(out, ' ', s->left ? pad : 0);
}

/* The C library formats; its decimal sign may be that of a locale. */
static void put_decimal(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, double v)
{
    char format[16], small[128];
    size_t n = 0;
    format[n++] = '%';
    if (s->left)
        format[n++] = '-';
    if (s->plus)
        format[n++] = '+';
    if (s->space)
        format[n++] = ' ';
    if (s->alternate)
        format[n++] = '#';
    if (s->zero)
        format[n++] = '0';
    format[n++] = '*';
    format[n++] = '.';
    format[n++] = '*';
    format[n++] = s->kind;
    format[n] = 0;
    int precision = s->has_precision ? (int)s->precision : -1;
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
    int length = snprintf(small, sizeof small, format, (int)s->width, precision, v);
    char *big = length >= (int)sizeof small ? malloc((size_t)length + 1) : NULL;
    if (big)
        snprintf(big, (size_t)length + 1, format, (int)s->width, precision, v);
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
    char *text = big ? big : small;
    if (length >= (int)sizeof small && !big)
        out->failed = true;
    else if (length > 0) {
        for (int i = 0; i < length; i++)
            if (text[i] == ',')
                text[i] = '.';
        tk_ut_printf_put(out, text, (size_t)length);
    }
    free(big);
}

void tk_ut_printf_put_real(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    if ((bits >> FRACTION_BITS & ((1u << EXPONENT_BITS) - 1)) == (1u << EXPONENT_BITS) - 1)
        put_word(out, s, bits);
    else if (s->kind == 'a' || s->kind == 'A')
        put_hex(out, s, bits);
    else
        put_decimal(out, s, v);
}
