/*
 * Numbers of JSON.
 */
#include "format/chrome_json/chrome_json_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A decimal number: digits * 10^exponent. */
struct decimal {
    bool negative, sticky; /* sticky: digits behind those that are kept are not all zero */
    uint64_t digits;
    int64_t exponent;
};

enum { MOST_EXPONENT = 100000 };

static inline bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(struct decimal *d, unsigned digit, bool behind_point)
{
    if (d->digits > (UINT64_MAX - 9) / 10) { /* more than 19 digits */
        d->sticky |= digit != 0;
        d->exponent += !behind_point;
        return;
    }
    d->digits = d->digits * 10 + digit;
    d->exponent -= behind_point;
}

/* Reads a number as JSON has it. false: it is none. */
static bool read_decimal(const uint8_t *p, size_t n, struct decimal *d)
{
    const uint8_t *end = p + n;
    *d = (struct decimal){0};
    if (p < end && *p == '-') {
        d->negative = true;
        p++;
    }
    if (p == end || !is_digit(*p) || (*p == '0' && end - p > 1 && is_digit(p[1])))
        return false;
    for (; p < end && is_digit(*p); p++)
        take_digit(d, *p - (unsigned)'0', false);
    if (p < end && *p == '.') {
        if (++p == end || !is_digit(*p))
            return false;
        for (; p < end && is_digit(*p); p++)
            take_digit(d, *p - (unsigned)'0', true);
    }
    if (p < end && (*p | 0x20) == 'e') {
        int64_t exponent = 0;
        bool negative = ++p < end && *p == '-';
        p += p < end && (*p == '-' || *p == '+');
        if (p == end)
            return false;
        for (; p < end && is_digit(*p); p++)
            exponent = exponent < MOST_EXPONENT ? exponent * 10 + (*p - '0') : exponent;
        d->exponent += negative ? -exponent : exponent;
    }
    return p == end;
}

/* digits * 10^exponent, rounded half away from zero. false: beyond 64 bits. */
static bool to_integer(struct decimal d, int64_t *out)
{
    bool half = false;
    for (; d.exponent > 0 && d.digits; d.exponent--) {
        if (d.digits > UINT64_MAX / 10)
            return false;
        d.digits *= 10;
    }
    for (; d.exponent < 0 && (d.digits || half); d.exponent++) {
        half = d.digits % 10 >= 5;
        d.digits /= 10;
    }
    if (half)
        d.digits++;
    if (d.digits > (uint64_t)INT64_MAX + d.negative)
        return false;
    *out = d.negative ? (int64_t)(0 - d.digits) : (int64_t)d.digits;
    return true;
}

enum { LONGEST_ESCAPED = 256 };

/* A number, or a text that may be one, whose escapes are resolved in `space`. */
static bool numeric(const struct tk_jscan_value *v, uint8_t buffer[LONGEST_ESCAPED],
                    struct tk_jscan_value *out)
{
    *out = *v;
    if (v->kind != TK_JSON_STRING || !v->escaped)
        return v->kind == TK_JSON_NUMBER || v->kind == TK_JSON_STRING;
    if (v->n > LONGEST_ESCAPED)
        return false;
    out->n = tk_jscan_unescape(v, buffer);
    out->p = buffer;
    return true;
}

static inline uint64_t digits_of(const uint8_t *p, unsigned n)
{
    static const uint64_t tens[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    if (n <= 8)
        return tk_eight_digits(tk_load64(p), n);
    return tk_eight_digits(tk_load64(p), 8) * tens[n - 8] + tk_eight_digits(tk_load64(p + 8), n - 8);
}

/* The usual form with up to three digits behind the point: nearly all times. */
static inline bool short_time(const struct tk_jscan_value *v, int64_t *ns)
{
    static const uint64_t rest[] = {1000, 100, 10, 1};
    if (v->kind != TK_JSON_NUMBER || !v->point || v->n > v->point + 4u)
        return false;
    uint64_t value = digits_of(v->p, v->point) * 1000;
    if (v->n > v->point) {
        const unsigned behind = (unsigned)v->n - v->point - 1;
        value += tk_eight_digits(tk_load64(v->p + v->point + 1), behind) * rest[behind];
    }
    *ns = (int64_t)value;
    return true;
}

bool tk_jscan_time(const struct tk_jscan_value *v, int64_t *ns)
{
    uint8_t buffer[LONGEST_ESCAPED];
    struct tk_jscan_value plain;
    struct decimal d;
    if (short_time(v, ns))
        return true;
    if (!numeric(v, buffer, &plain) || !read_decimal(plain.p, plain.n, &d))
        return false;
    d.exponent += 3;
    return to_integer(d, ns);
}

bool tk_jscan_integer(const struct tk_jscan_value *v, int64_t *out)
{
    uint8_t buffer[LONGEST_ESCAPED];
    struct tk_jscan_value plain;
    struct decimal d;
    if (v->kind == TK_JSON_NUMBER && v->point && v->n == v->point) {
        *out = (int64_t)digits_of(v->p, v->point);
        return true;
    }
    if (!numeric(v, buffer, &plain) || !read_decimal(plain.p, plain.n, &d) || d.sticky)
        return false;
    for (; d.exponent < 0; d.exponent++) {
        if (d.digits % 10)
            return false;
        d.digits /= 10;
        if (!d.digits)
            d.exponent = -1;
    }
    return to_integer(d, out);
}

enum { LONGEST_REAL = 400 };

/* A real number. Texts may have it in forms that JSON does not: "+1", ".5", "5.", "007". */
static bool read_real(const struct tk_jscan_value *v, double *out)
{
    char text[LONGEST_REAL + 1], *end;
    size_t n = v->n < LONGEST_REAL ? v->n : LONGEST_REAL;
    bool any = false;
    for (size_t i = 0; i < v->n; i++) {
        if (!is_digit(v->p[i]) && !memchr("+-.eE", v->p[i], 5))
            return false;
        any |= is_digit(v->p[i]);
    }
    memcpy(text, v->p, n);
    text[n] = '\0';
    *out = strtod(text, &end);
    return any && !*end && !isinf(*out);
}

bool tk_jscan_measure(const struct tk_jscan_value *v, struct tk_number *out)
{
    uint8_t buffer[LONGEST_ESCAPED];
    struct tk_jscan_value plain;
    struct decimal d;
    if (!numeric(v, buffer, &plain))
        return false;
    *out = (struct tk_number){.real = false};
    if (!memchr(plain.p, '.', plain.n) && read_decimal(plain.p, plain.n, &d) && !d.exponent && !d.sticky &&
        to_integer(d, &out->v.i))
        return true;
    out->real = true;
    return read_real(&plain, &out->v.r);
}
