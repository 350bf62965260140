/*
 * Conversions of a printf format.
 */
#include "base/cursor.h"
#include "base/text/text.h"
#include "format/utrace/schema/printf_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Conversions of real numbers in a printf format. The same text on every system:
 * decimal digits are those of the C library, which are exact everywhere; what C libraries write in ways of
 * their own is written here.
 */

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

void tk_ut_printf_put(struct tk_ut_printf_text *t, const void *p, size_t n)
{
    if (t->bytes.n + n > TK_UT_PRINTF_LIMIT)
        n = TK_UT_PRINTF_LIMIT - t->bytes.n;
    if (!n || !p)
        return;
    if (tk_vec_reserve(&t->bytes, t->bytes.n + n)) {
        t->failed = true;
        return;
    }
    memcpy(t->bytes.v + t->bytes.n, p, n);
    t->bytes.n += n;
}

void tk_ut_printf_put_char(struct tk_ut_printf_text *t, char c, size_t count)
{
    for (size_t i = 0; i < count && t->bytes.n < TK_UT_PRINTF_LIMIT; i++)
        tk_ut_printf_put(t, &c, 1);
}

int64_t tk_ut_printf_signed(uint64_t v, unsigned bits)
{
    if (bits == 0 || bits >= 64)
        return (int64_t)v;
    v &= (UINT64_C(1) << bits) - 1;
    return (int64_t)(v >> (bits - 1) ? v | UINT64_MAX << bits : v);
}

static void put_padded(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, const void *p,
                       size_t n, size_t columns)
{
    size_t pad = s->width > columns ? s->width - columns : 0;
    if (!s->left)
        tk_ut_printf_put_char(out, ' ', pad);
    tk_ut_printf_put(out, p, n);
    if (s->left)
        tk_ut_printf_put_char(out, ' ', pad);
}

static size_t digits_of(char *out, uint64_t v, char kind)
{
    unsigned base = kind == 'o' ? 8 : kind == 'x' || kind == 'X' ? 16 : 10;
    const char *letters = kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char reversed[24];
    size_t n = 0;
    do {
        reversed[n++] = letters[v % base];
        v /= base;
    } while (v);
    for (size_t i = 0; i < n; i++)
        out[i] = reversed[n - 1 - i];
    return n;
}

static size_t prefix_of(char *out, const struct tk_ut_printf_spec *s, bool negative, uint64_t v)
{
    bool is_signed = s->kind == 'd' || s->kind == 'i';
    size_t n = 0;
    if (is_signed && (negative || s->plus || s->space))
        out[n++] = negative ? '-' : s->plus ? '+' : ' ';
    if (s->alternate && v && (s->kind == 'x' || s->kind == 'X')) {
        out[n++] = '0';
        out[n++] = s->kind;
    }
    return n;
}

void tk_ut_printf_put_integer(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s,
                              struct tk_ut_printf_arg arg)
{
    char digits[24], prefix[4];
    uint64_t v = arg.integer;
    bool negative = false;
    if (s->kind == 'd' || s->kind == 'i') {
        int64_t wide = tk_ut_printf_signed(v, arg.size * 8u),
                cut = tk_ut_printf_signed((uint64_t)wide, s->bits);
        negative = cut < 0;
        v = negative ? 0 - (uint64_t)cut : (uint64_t)cut;
    }
    if (s->bits < 64)
        v &= (UINT64_C(1) << s->bits) - 1;
    size_t n = digits_of(digits, v, s->kind), np = prefix_of(prefix, s, negative, v), zeros = 0;
    if (s->has_precision && s->precision == 0 && v == 0)
        n = 0;
    if (s->has_precision && s->precision > n)
        zeros = s->precision - n;
    if (s->alternate && s->kind == 'o' && !zeros && (!n || digits[0] != '0'))
        zeros = 1;
    if (s->zero && !s->left && !s->has_precision && s->width > n + np)
        zeros = s->width - n - np;
    size_t total = np + zeros + n, pad = s->width > total ? s->width - total : 0;
    tk_ut_printf_put_char(out, ' ', s->left ? 0 : pad);
    tk_ut_printf_put(out, prefix, np);
    tk_ut_printf_put_char(out, '0', zeros);
    tk_ut_printf_put(out, digits, n);
    tk_ut_printf_put_char(out, ' ', s->left ? pad : 0);
}

size_t tk_ut_printf_code(uint8_t out[4], uint32_t code)
{
    if (!tk_is_surrogate(code))
        return tk_utf8_put(out, code);
    out[0] = (uint8_t)(0xe0 | code >> 12);
    out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    out[2] = (uint8_t)(0x80 | (code & 0x3f));
    return 3;
}

/* An argument's text as UTF-8, at most `precision` characters of it. */
void tk_ut_printf_put_text(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s,
                           const struct tk_ut_printf_arg *arg)
{
    struct tk_ut_printf_text utf8 = {0};
    size_t columns = 0;
    for (size_t at = 0, len = 0; at < arg->n_text && (!s->has_precision || columns < s->precision);
         at += len) {
        const uint8_t *p = arg->text + at;
        uint8_t bytes[4];
        uint32_t cp;
        len = arg->size;
        if (arg->size == 1) {
            cp = tk_utf8_next(p, arg->n_text - at, &len);
        } else if (arg->size == 4) {
            cp = tk_load32(p);
        } else {
            cp = tk_load16(p);
            if (cp >> 10 == 0x36 && at + 4 <= arg->n_text && tk_load16(p + 2) >> 10 == 0x37) {
                cp = 0x10000 + ((cp & 0x3ff) << 10) + (tk_load16(p + 2) & 0x3ffu);
                len = 4;
            }
        }
        tk_ut_printf_put(&utf8, bytes, tk_ut_printf_code(bytes, cp));
        columns++;
    }
    put_padded(out, s, utf8.bytes.v, utf8.bytes.n, columns);
    out->failed |= utf8.failed;
    tk_vec_release(&utf8.bytes);
}

void tk_ut_printf_put_special(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, uint64_t v)
{
    uint8_t bytes[24];
    size_t n = 0, columns;
    if (s->kind == 'c') {
        n = v && v <= 0x10ffff ? tk_utf8_put(bytes, (uint32_t)v) : 0;
        columns = n ? 1 : 0;
    } else {
        memcpy(bytes, v ? "0x" : "(nil)", v ? 2 : 5);
        n = v ? 2 + digits_of((char *)bytes + 2, v, 'x') : 5;
        columns = n;
    }
    put_padded(out, s, bytes, n, columns);
}
