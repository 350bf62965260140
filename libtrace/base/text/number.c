/*
 * Numbers as decimal digits, the same in every locale: integers, real numbers with the fewest digits that
 * identify them, and with a given number of digits, as printf writes them. All writers of text print their
 * numbers with it.
 */
#include "base/text/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline size_t count_digits(uint64_t v)
{
    size_t n = 1;
    for (; v >= 10000; v /= 10000)
        n += 4;
    return n + (v >= 10) + (v >= 100) + (v >= 1000);
}

static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                            "25262728293031323334353637383940414243444546474849"
                            "50515253545556575859606162636465666768697071727374"
                            "75767778798081828384858687888990919293949596979899";

/* Four digits of v < 10000, leading zeros among them: neither pair waits for the other. */
static inline void put_four(char *p, size_t v)
{
    memcpy(p, pairs + v / 100 * 2, 2);
    memcpy(p + 2, pairs + v % 100 * 2, 2);
}

size_t tk_put_u64(char *out, uint64_t v)
{
    const size_t n = count_digits(v);
    char *p = out + n;
    for (; v >= 10000; v /= 10000)
        put_four(p -= 4, (size_t)(v % 10000));
    size_t last = (size_t)v;
    if (last >= 100) {
        memcpy(p -= 2, pairs + last % 100 * 2, 2);
        last /= 100;
    }
    if (last >= 10)
        memcpy(p - 2, pairs + last * 2, 2);
    else
        p[-1] = (char)('0' + last);
    return n;
}

size_t tk_put_i64(char *out, int64_t v)
{
    if (v >= 0)
        return tk_put_u64(out, (uint64_t)v);
    out[0] = '-';
    return 1 + tk_put_u64(out + 1, 0 - (uint64_t)v);
}

/* A decimal number: 0.d1d2d3... * 10^point, without zeros at either end. */
struct decimal {
    char digits[20];
    int n, point;
};

static void drop_zeros(struct decimal *d)
{
    while (d->n > 1 && d->digits[d->n - 1] == '0')
        d->n--;
}

/*
 * Most values that people meet are k / 10^e with a small integer k. Below 2^53 and for e <= 22 k and 10^e are
 * exact, so the quotient is what a reader of the digits gets. Up to 15 digits there is only one such k, and
 * the least e gives the fewest digits.
 */
static bool few_digits(struct decimal *d, double v)
{
    double scale = 1;
    for (int e = 0; e <= 22 && v * scale < 1e15; e++, scale *= 10) {
        double k = rint(v * scale);
        if (k > 0 && k / scale == v) {
            d->n = (int)tk_put_u64(d->digits, (uint64_t)k);
            d->point = d->n - e;
            drop_zeros(d);
            return true;
        }
    }
    return false;
}

/* v rounded to n digits. printf's decimal point depends on the locale: only its digits are taken. */
static void round_to(struct decimal *d, double v, int n)
{
    char text[48];
    snprintf(text, sizeof text, "%.*e", n - 1, v);
    const char *p = text;
    for (d->n = 0; *p && *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9' && d->n < n)
            d->digits[d->n++] = *p;
    }
    d->point = *p ? (int)strtol(p + 1, NULL, 10) + 1 : 1;
}

/* Does a reader get v (single: as a float)? Written as an integer and a power of ten, which every locale
 * reads. */
static bool reads_back(const struct decimal *d, double v, bool single)
{
    char text[48];
    snprintf(text, sizeof text, "%.*se%d", d->n, d->digits, d->point - d->n);
    return single ? strtof(text, NULL) == (float)v : strtod(text, NULL) == v;
}

/* The next larger decimal of as many digits. */
static void step_up(struct decimal *d)
{
    int i = d->n - 1;
    while (i >= 0 && d->digits[i] == '9')
        d->digits[i--] = '0';
    if (i >= 0) {
        d->digits[i]++;
    } else {
        d->digits[0] = '1';
        d->point++;
    }
}

/*
 * Any value of up to `sure` digits has a double (float) of its own, so that many digits are tried first.
 * Subnormals are coarser and may need fewer.
 */
static void shortest(struct decimal *d, double v, bool single)
{
    int sure = single ? FLT_DIG : DBL_DIG;
    int most = single ? FLT_DECIMAL_DIG : DBL_DECIMAL_DIG;
    int n = v < (single ? (double)FLT_MIN : DBL_MIN) ? 1 : sure;
    for (; n <= most; n++) {
        round_to(d, v, n);
        if (n == most || reads_back(d, v, single))
            break;
        /* Above a power of two the values that read back reach twice as far as below it. */
        int exponent;
        if (frexp(v, &exponent) > 0.5)
            continue;
        step_up(d);
        if (reads_back(d, v, single))
            break;
    }
    drop_zeros(d);
}

static size_t put_digits(char *out, const char *digits, int n, int zeros)
{
    memcpy(out, digits, (size_t)n);
    memset(out + n, '0', (size_t)zeros);
    return (size_t)n + (size_t)zeros;
}

static size_t put_plain(char *out, const struct decimal *d)
{
    if (d->point >= d->n)
        return put_digits(out, d->digits, d->n, d->point - d->n);
    size_t w = 0;
    if (d->point > 0) {
        w = put_digits(out, d->digits, d->point, 0);
        out[w++] = '.';
        return w + put_digits(out + w, d->digits + d->point, d->n - d->point, 0);
    }
    w = put_digits(out, "0.", 2, -d->point);
    return w + put_digits(out + w, d->digits, d->n, 0);
}

static size_t put_exponent(char *out, const struct decimal *d)
{
    int exponent = d->point - 1;
    unsigned size = (unsigned)(exponent < 0 ? -exponent : exponent);
    size_t w = 0;
    out[w++] = d->digits[0];
    if (d->n > 1) {
        out[w++] = '.';
        w += put_digits(out + w, d->digits + 1, d->n - 1, 0);
    }
    out[w++] = 'e';
    out[w++] = exponent < 0 ? '-' : '+';
    if (size < 10)
        out[w++] = '0';
    return w + tk_put_u64(out + w, size);
}

static size_t put_word(char *out, const char *word)
{
    size_t n = strlen(word);
    memcpy(out, word, n);
    return n;
}

/* The shortest text of v, or of v in so many digits where `digits` is not 0. */
static size_t put_rounded(char *out, double v, bool single, unsigned digits)
{
    if (isnan(v))
        return put_word(out, "nan");
    if (signbit(v)) {
        *out = '-';
        return 1 + put_rounded(out + 1, -v, single, digits);
    }
    if (isinf(v))
        return put_word(out, "inf");
    if (v == 0)
        return put_word(out, "0");
    struct decimal d;
    if (digits && digits < DBL_DIG) {
        round_to(&d, v, (int)digits);
        drop_zeros(&d);
    } else if (single || !few_digits(&d, v)) {
        shortest(&d, v, single);
    }
    return d.point > -4 && d.point <= 16 ? put_plain(out, &d) : put_exponent(out, &d);
}

size_t tk_put_real(char *out, double v)
{
    return put_rounded(out, v, false, 0);
}

size_t tk_put_rounded(char *out, double v, unsigned digits)
{
    return put_rounded(out, v, false, digits);
}

size_t tk_put_real32(char *out, float v)
{
    return put_rounded(out, (double)v, true, 0);
}

/* ---- with a given number of digits ---- */

/* Only a locale's decimal point is in the way: it stands where the digits stop. */
static size_t mend_point(char *out, size_t n)
{
    size_t at = out[0] == '-', rest;
    while (at < n && out[at] >= '0' && out[at] <= '9')
        at++;
    for (rest = at; rest < n && !strchr("0123456789e", out[rest]); rest++)
        ;
    if (rest == at)
        return n;
    out[at] = '.';
    memmove(out + at + 1, out + rest, n - rest);
    return n - (rest - at - 1);
}

static size_t print(char *out, const char *format, double v, unsigned digits)
{
    int n = snprintf(out, TK_PUT_FIXED, format, (int)digits, v);
    if (!isfinite(v))
        return n > 0 ? (size_t)n : 0;
    return n > 0 && n < TK_PUT_FIXED ? mend_point(out, (size_t)n) : 0;
}

size_t tk_put_fixed(char *out, double v, unsigned decimals)
{
    return print(out, "%.*f", v, decimals);
}

size_t tk_put_general(char *out, double v, unsigned digits)
{
    return print(out, "%.*g", v, digits);
}
