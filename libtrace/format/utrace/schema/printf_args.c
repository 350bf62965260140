/*
 * Formatting of messages.
 */
#include "format/utrace/schema/printf_args.h"

#include "base/text/text.h"

#include <string.h>

enum category { INTEGER = 1, REAL = 2, TEXT = 3 };

/* The arguments that are left. */
struct args {
    struct tk_cur descriptors, payload;
    bool cut; /* fewer bytes than the descriptors say */
};

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
static void take_text(struct args *a, size_t width, struct tk_ut_printf_arg *arg)
{
    size_t left = tk_cur_left(&a->payload), n = 0;
    while (n + width <= left && tk_load_le(a->payload.p + n, width) != 0)
        n += width;
    arg->text = a->payload.p;
    arg->n_text = n;
    a->cut |= n + width > left;
    tk_take(&a->payload, n + width <= left ? n + width : left, "text");
}

static struct tk_ut_printf_arg next_arg(struct args *a, enum category wanted)
{
    struct tk_ut_printf_arg arg = {.size = 4}, none = {.size = 4};
    if (!tk_cur_left(&a->descriptors))
        return none;
    uint8_t descriptor = tk_u8(&a->descriptors, "descriptor");
    size_t size = descriptor & 63;
    arg.size = (uint8_t)size;
    if (descriptor >> 6 == TEXT) {
        bool known = size == 1 || size == 2 || size == 4;
        arg.size = known ? (uint8_t)size : 1;
        take_text(a, arg.size, &arg);
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

static void convert(struct tk_ut_printf_text *out, const struct tk_ut_printf_spec *s, struct args *args)
{
    if (s->kind == 'n')
        return;
    if (s->kind == 's' || s->kind == 'S') {
        struct tk_ut_printf_arg arg = next_arg(args, TEXT);
        tk_ut_printf_put_text(out, s, &arg);
    } else if (strchr("fFeEgGaA", s->kind)) {
        tk_ut_printf_put_real(out, s, next_arg(args, REAL).real);
    } else if (s->kind == 'c' || s->kind == 'p') {
        tk_ut_printf_put_special(out, s, next_arg(args, INTEGER).integer);
    } else {
        tk_ut_printf_put_integer(out, s, next_arg(args, INTEGER));
    }
}

/* Digits, or the next argument for a star. */
static int64_t number(const char **p, const char *end, struct args *args)
{
    int64_t v = 0;
    if (*p < end && **p == '*') {
        ++*p;
        struct tk_ut_printf_arg arg = next_arg(args, INTEGER);
        return tk_ut_printf_signed((uint64_t)tk_ut_printf_signed(arg.integer, arg.size * 8u), 32);
    }
    for (; *p < end && **p >= '0' && **p <= '9'; ++*p)
        v = v < TK_UT_PRINTF_LIMIT ? v * 10 + (**p - '0') : v;
    return v;
}

static uint32_t bounded(int64_t v)
{
    return v > TK_UT_PRINTF_LIMIT ? TK_UT_PRINTF_LIMIT : (uint32_t)v;
}

static void take_flags(struct tk_ut_printf_spec *s, const char **p, const char *end)
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
    struct tk_ut_printf_spec ignored = {0};
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

static void conversion(struct tk_ut_printf_text *out, const char *p, const char *end, struct args *args)
{
    struct tk_ut_printf_spec s = {0};
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

static void run_printf_args(struct tk_ut_printf_text *out, const char *p, const char *end, struct args *args,
                            bool verbatim)
{
    while (p < end) {
        const char *sign = memchr(p, '%', (size_t)(end - p));
        bool known = false;
        tk_ut_printf_put(out, p, (size_t)((sign ? sign : end) - p));
        if (!sign)
            return;
        p = sign + 1;
        if (p < end && *p == '%')
            p++;
        else if (!verbatim)
            p = piece_end(p, end, &known);
        if (known)
            conversion(out, sign + 1, p, args);
        else if (p - sign == 2 && sign[1] == '%')
            tk_ut_printf_put(out, "%", 1);
        else
            tk_ut_printf_put(out, sign, (size_t)(p - sign));
    }
}

/* ---- the text ---- */

/* What stands next in a text: a code point, half a surrogate pair, or U+FFFD for what is neither. */
static uint32_t next_code(const uint8_t *p, size_t n, size_t *len)
{
    if (n >= 3 && p[0] == 0xed && p[1] >= 0xa0 && p[1] < 0xc0 && p[2] >> 6 == 2) {
        *len = 3;
        return 0xd000u | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
    }
    return tk_utf8_next(p, n, len);
}

static bool has_halves(const struct tk_ut_printf_text *t)
{
    for (size_t at = 0, len; at < t->bytes.n; at += len)
        if (tk_is_surrogate(next_code(t->bytes.v + at, t->bytes.n - at, &len)))
            return true;
    return false;
}

static size_t put_utf16(uint8_t *p, uint32_t code)
{
    const bool pair = code >= 0x10000;
    const uint32_t high = pair ? 0xd800 + ((code - 0x10000) >> 10) : code, low = 0xdc00 + (code & 0x3ff);
    p[0] = (uint8_t)high;
    p[1] = (uint8_t)(high >> 8);
    if (pair) {
        p[2] = (uint8_t)low;
        p[3] = (uint8_t)(low >> 8);
    }
    return pair ? 4 : 2;
}

/* Halves of surrogate pairs have no UTF-8: such a text stays UTF-16, as it would be without arguments. Halves
 * of several arguments may make a pair. */
static int hand_out_utf16(struct tk_arena *arena, const struct tk_ut_printf_text *t, struct tk_str *out)
{
    uint8_t *p = tk_arena_bytes(arena, 2 * t->bytes.n), *utf8;
    size_t n = 0;
    for (size_t at = 0, len; p && at < t->bytes.n; at += len)
        n += put_utf16(p + n, next_code(t->bytes.v + at, t->bytes.n - at, &len));
    *out = (struct tk_str){(const char *)p, (uint32_t)n, TK_ENC_UTF16};
    if (!p)
        return TK_ENOMEM;
    if (!tk_utf16_valid(p, n))
        return TK_OK;
    if (!(utf8 = tk_arena_bytes(arena, n / 2 * 3)))
        return TK_ENOMEM;
    n = tk_utf16_to_utf8(utf8, p, n);
    *out = (struct tk_str){(const char *)utf8, (uint32_t)n, TK_ENC_UTF8};
    return TK_OK;
}

/* Invalid bytes of the format or an argument must not make the text invalid. */
static int hand_out(struct tk_arena *arena, const struct tk_ut_printf_text *t, struct tk_str *out)
{
    size_t n = t->bytes.n, at_out = 0, len;
    const bool valid = tk_utf8_valid(t->bytes.v, n);
    if (!valid && has_halves(t))
        return hand_out_utf16(arena, t, out);
    uint8_t *p = tk_arena_bytes(arena, valid ? n : 3 * n);
    if (!p)
        return TK_ENOMEM;
    if (n && valid)
        memcpy(p, t->bytes.v, n);
    for (size_t at = 0; !valid && at < n; at += len)
        at_out += tk_utf8_put(p + at_out, tk_utf8_next(t->bytes.v + at, n - at, &len));
    *out = (struct tk_str){(const char *)p, (uint32_t)(valid ? n : at_out), TK_ENC_UTF8};
    return TK_OK;
}

/* A format in UTF-16, as all that is formatted. */
static size_t convert_format(uint8_t *out, const char *p, size_t n)
{
    const uint8_t *from = (const uint8_t *)p;
    size_t at_out = 0;
    for (size_t at = 0, len; n - at >= 2; at += len)
        at_out += tk_ut_printf_code(out + at_out, tk_utf16_next(from + at, n - at, &len));
    return at_out;
}

int tk_ut_format(struct tk_arena *arena, const struct tk_str *format, const uint8_t *args, size_t n,
                 struct tk_str *out, bool *cut)
{
    struct tk_ut_printf_text t = {0};
    struct args a = open_args(args, n);
    uint8_t *converted = NULL;
    const char *p = format->p;
    size_t n_format = format->n;
    if (format->enc == TK_ENC_UTF16) {
        if (!(converted = tk_arena_bytes(arena, n_format / 2 * 3 + 4)))
            return TK_ENOMEM;
        n_format = convert_format(converted, p, n_format);
        p = (const char *)converted;
    }
    run_printf_args(&t, p, p + n_format, &a, n == 0 || args[0] == 0);
    int rc = t.failed ? TK_ENOMEM : hand_out(arena, &t, out);
    *cut = a.cut;
    tk_vec_release(&t.bytes);
    return rc;
}
