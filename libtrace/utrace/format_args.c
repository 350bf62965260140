/*
 * Formatting of messages: see format_args.h.
 */
#include "utrace/format_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"

enum category { INTEGER = 1, REAL = 2, TEXT = 3 };

/* The arguments that are left. */
struct args {
    struct tk_cur descriptors, payload;
    bool cut; /* fewer bytes than the descriptors say */
};

/* An argument; zero and empty where there is none. */
struct arg {
    uint64_t integer;
    double real;
    const uint8_t *text; /* n_text bytes, without terminator */
    size_t n_text;
    uint8_t size; /* of an integer, of a character */
};

/* One conversion of a format. */
struct spec {
    bool left, plus, space, alternate, zero, has_precision;
    uint32_t width, precision;
    uint8_t bits; /* of integers, from the length characters */
    char kind;
};

struct text {
    TK_VEC(uint8_t) bytes;
    bool failed;
};

static void put(struct text *t, const void *p, size_t n)
{
    if (t->bytes.n + n > TK_UT_FORMAT_LIMIT)
        n = TK_UT_FORMAT_LIMIT - t->bytes.n;
    if (!n)
        return;
    if (tk_vec_reserve(&t->bytes, t->bytes.n + n)) {
        t->failed = true;
        return;
    }
    memcpy(t->bytes.v + t->bytes.n, p, n);
    t->bytes.n += n;
}

static void put_char(struct text *t, char c, size_t count)
{
    for (size_t i = 0; i < count && t->bytes.n < TK_UT_FORMAT_LIMIT; i++)
        put(t, &c, 1);
}

/* ---- arguments ---- */

static struct args open_args(const uint8_t *p, size_t n)
{
    struct tk_cur c = tk_cur_of(n ? p : (const uint8_t *)"", n);
    struct args a = {.cut = false};
    size_t count = n ? tk_u8(&c, "count") : 0;
    a.cut = count > tk_cur_left(&c);
    a.descriptors = tk_sub(&c, count < tk_cur_left(&c) ? count : tk_cur_left(&c), "descriptors");
    a.payload = tk_cur_of(c.p, tk_cur_left(&c));
    return a;
}

/* A text runs to its terminator, or to the end where that is missing. */
static void take_text(struct args *a, size_t width, struct arg *arg)
{
    size_t left = tk_cur_left(&a->payload), n = 0;
    while (n + width <= left && tk_load_le(a->payload.p + n, width) != 0)
        n += width;
    arg->text = a->payload.p;
    arg->n_text = n;
    a->cut |= n + width > left;
    tk_take(&a->payload, n + width <= left ? n + width : left, "text");
}

static struct arg next_arg(struct args *a, enum category wanted)
{
    struct arg arg = {.size = 4}, none = {.size = 4};
    if (!tk_cur_left(&a->descriptors))
        return none;
    uint8_t descriptor = tk_u8(&a->descriptors, "descriptor");
    size_t size = descriptor & 63;
    arg.size = (uint8_t)size;
    if (descriptor >> 6 == TEXT) {
        bool known = size == 1 || size == 2 || size == 4;
        take_text(a, known ? size : 1, &arg);
    } else {
        const uint8_t *p = tk_take(&a->payload, size, "argument");
        uint64_t bits = p && size <= 8 ? tk_load_le(p, size) : 0;
        float single;
        uint32_t low = (uint32_t)bits;
        memcpy(&single, &low, sizeof single);
        memcpy(&arg.real, &bits, sizeof arg.real);
        arg.real = size == 4 ? (double)single : size == 8 ? arg.real : 0.0;
        arg.integer = bits;
        a->cut |= !p;
        if (!p) {
            a->descriptors.p = a->descriptors.end;
            return none;
        }
    }
    return descriptor >> 6 == wanted ? arg : none;
}

static int64_t sign_extend(uint64_t v, unsigned bits)
{
    if (bits == 0 || bits >= 64)
        return (int64_t)v;
    v &= (UINT64_C(1) << bits) - 1;
    return (int64_t)(v >> (bits - 1) ? v | UINT64_MAX << bits : v);
}

/* ---- conversions ---- */

static void put_padded(struct text *out, const struct spec *s, const void *p, size_t n, size_t columns)
{
    size_t pad = s->width > columns ? s->width - columns : 0;
    if (!s->left)
        put_char(out, ' ', pad);
    put(out, p, n);
    if (s->left)
        put_char(out, ' ', pad);
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

static size_t prefix_of(char *out, const struct spec *s, bool negative, uint64_t v)
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

static void put_integer(struct text *out, const struct spec *s, struct arg arg)
{
    char digits[24], prefix[4];
    uint64_t v = arg.integer;
    bool negative = false;
    if (s->kind == 'd' || s->kind == 'i') {
        int64_t wide = sign_extend(v, arg.size * 8u), cut = sign_extend((uint64_t)wide, s->bits);
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
    put_char(out, ' ', s->left ? 0 : pad);
    put(out, prefix, np);
    put_char(out, '0', zeros);
    put(out, digits, n);
    put_char(out, ' ', s->left ? pad : 0);
}

/* The C library formats reals; its decimal sign may be that of a locale. */
static void put_real(struct text *out, const struct spec *s, double v)
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
        put(out, text, (size_t)length);
    }
    free(big);
}

/* An argument's text as UTF-8, at most `precision` characters of it. */
static void put_text(struct text *out, const struct spec *s, const struct arg *arg)
{
    struct text utf8 = {0};
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
        put(&utf8, bytes, tk_utf8_put(bytes, cp));
        columns++;
    }
    put_padded(out, s, utf8.bytes.v, utf8.bytes.n, columns);
    out->failed |= utf8.failed;
    tk_vec_release(&utf8.bytes);
}

static void put_special(struct text *out, const struct spec *s, uint64_t v)
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

static void convert(struct text *out, const struct spec *s, struct args *args)
{
    if (s->kind == 'n')
        return;
    if (s->kind == 's' || s->kind == 'S') {
        struct arg arg = next_arg(args, TEXT);
        put_text(out, s, &arg);
    } else if (strchr("fFeEgGaA", s->kind)) {
        put_real(out, s, next_arg(args, REAL).real);
    } else if (s->kind == 'c' || s->kind == 'p') {
        put_special(out, s, next_arg(args, INTEGER).integer);
    } else {
        put_integer(out, s, next_arg(args, INTEGER));
    }
}

/* ---- formats ---- */

/* Digits, or the next argument for a star. */
static int64_t number(const char **p, const char *end, struct args *args)
{
    int64_t v = 0;
    if (*p < end && **p == '*') {
        ++*p;
        struct arg arg = next_arg(args, INTEGER);
        return sign_extend((uint64_t)sign_extend(arg.integer, arg.size * 8u), 32);
    }
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
        v = v < TK_UT_FORMAT_LIMIT ? v * 10 + (**p - '0') : v;
    return v;
}

static uint32_t bounded(int64_t v)
{
    return v > TK_UT_FORMAT_LIMIT ? TK_UT_FORMAT_LIMIT : (uint32_t)v;
}

static void take_flags(struct spec *s, const char **p, const char *end)
{
    for (; *p < end && strchr("-+ #0", **p) && **p; ++*p) {
        s->left |= **p == '-';
        s->plus |= **p == '+';
        s->space |= **p == ' ';
        s->alternate |= **p == '#';
        s->zero |= **p == '0';
    }
}

static uint8_t take_length(const char **p, const char *end)
{
    unsigned h = 0;
    bool wide = false;
    for (; *p < end && strchr("hjlztL", **p) && **p; ++*p) {
        h += **p == 'h';
        wide |= **p != 'h' && **p != 'L';
    }
    return wide ? 64 : h == 1 ? 16 : h >= 2 ? 8 : 32;
}

/* Where the piece at p (behind a percent sign) ends. *known: it is a conversion. Takes no arguments. */
static const char *piece_end(const char *p, const char *end, bool *known)
{
    struct spec ignored = {0};
    take_flags(&ignored, &p, end);
    if (p < end && *p == '*')
        p++;
    else
        while (p < end && *p >= '0' && *p <= '9')
            p++;
    if (p < end && *p == '.') {
        p++;
        if (p < end && *p == '*')
            p++;
        else
            while (p < end && *p >= '0' && *p <= '9')
                p++;
    }
    take_length(&p, end);
    *known = p < end && *p && strchr("diouxXcpfFeEgGaAsSn", *p);
    return p < end ? p + 1 : end;
}

static void conversion(struct text *out, const char *p, const char *end, struct args *args)
{
    struct spec s = {0};
    take_flags(&s, &p, end);
    int64_t width = number(&p, end, args);
    s.left |= width < 0;
    s.width = bounded(width < 0 ? -width : width);
    if (p < end && *p == '.') {
        p++;
        int64_t precision = number(&p, end, args);
        s.has_precision = precision >= 0;
        s.precision = s.has_precision ? bounded(precision) : 0;
    }
    s.bits = take_length(&p, end);
    s.kind = *p;
    convert(out, &s, args);
}

static void run(struct text *out, const char *p, const char *end, struct args *args, bool verbatim)
{
    while (p < end) {
        const char *sign = memchr(p, '%', (size_t)(end - p));
        bool known = false;
        put(out, p, (size_t)((sign ? sign : end) - p));
        if (!sign)
            return;
        p = sign + 1;
        if (p < end && *p == '%')
            p++;
        else if (!verbatim)
            p = piece_end(p, end, &known);
        if (known)
            conversion(out, sign + 1, p, args);
        else if (sign[1] == '%')
            put(out, "%", 1);
        else
            put(out, sign, (size_t)(p - sign));
    }
}

/* Invalid bytes of the format or an argument must not make the text invalid. */
static int hand_out(struct tk_arena *arena, const struct text *t, struct tk_span *out)
{
    size_t n = t->bytes.n, len;
    uint8_t *p = tk_arena_bytes(arena, tk_utf8_valid(t->bytes.v, n) ? n : 3 * n);
    if (!p)
        return TK_ENOMEM;
    *out = (struct tk_span){p, n};
    if (n && tk_utf8_valid(t->bytes.v, n)) {
        memcpy(p, t->bytes.v, n);
        return TK_OK;
    }
    out->n = 0;
    for (size_t at = 0; at < n; at += len)
        out->n += tk_utf8_put(p + out->n, tk_utf8_next(t->bytes.v + at, n - at, &len));
    return TK_OK;
}

int tk_ut_format(struct tk_arena *arena, const struct tk_str *format, const uint8_t *args, size_t n,
                 struct tk_span *out, bool *cut)
{
    struct text t = {0};
    struct args a = open_args(args, n);
    uint8_t *converted = NULL;
    const char *p = format->p;
    size_t n_format = format->n;
    if (format->enc == TK_ENC_UTF16) {
        if (!(converted = tk_arena_bytes(arena, n_format / 2 * 3 + 1)))
            return TK_ENOMEM;
        n_format = tk_utf16_to_utf8(converted, p, n_format);
        p = (const char *)converted;
    }
    run(&t, p, p + n_format, &a, n == 0 || args[0] == 0);
    int rc = t.failed ? TK_ENOMEM : hand_out(arena, &t, out);
    *cut = a.cut;
    tk_vec_release(&t.bytes);
    return rc;
}
