/*
 * Conversions of a printf format: see printf_convert.h.
 */
#include "format/utrace/schema/printf_convert.h"

#include "base/cursor.h"
#include "base/text/text.h"
#include "format/utrace/schema/printf_args.h"

#include <string.h>

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
