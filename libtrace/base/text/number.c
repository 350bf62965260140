/*
 * Numbers as decimal digits, the same in every locale: integers, real numbers with the fewest digits that
 * identify them, and with a given number of digits, as printf writes them. All writers of text print their
 * numbers with it.
 */
#include "base/text/text.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Reads and writes points in time.
 */

#define DAY  INT64_C(86400)
#define MOST INT64_C(253402300799) /* the last second of the year 9999 */

/* Days since 1970-01-01. Years are counted from March on, so that the leap day is the last one. */
static int64_t days_of(int64_t year, int month, int day)
{
    year -= month <= 2;
    const int64_t era = year / 400, of_era = year - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* A number of exactly so many digits in a range; false: there is none. */
static bool take_digits(const char **p, int digits, int least, int most, int *out)
{
    *out = 0;
    for (int i = 0; i < digits; i++, (*p)++) {
        if (**p < '0' || **p > '9')
            return false;
        *out = *out * 10 + (**p - '0');
    }
    return *out >= least && *out <= most;
}

static bool take_sign(const char **p, char sign)
{
    const bool there = **p == sign;
    *p += there;
    return there;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

static bool take_day(const char **p, int64_t *seconds)
{
    int year, month, day;
    if (!take_digits(p, 4, 1970, 9999, &year) || !take_sign(p, '-') || !take_digits(p, 2, 1, 12, &month) ||
        !take_sign(p, '-') || !take_digits(p, 2, 1, days_in(year, month), &day))
        return false;
    *seconds = days_of(year, month, day) * DAY;
    return true;
}

static bool take_clock(const char **p, int64_t *seconds)
{
    int hour, minute, second = 0, ignored;
    if (!take_digits(p, 2, 0, 23, &hour) || !take_sign(p, ':') || !take_digits(p, 2, 0, 59, &minute))
        return false;
    if (take_sign(p, ':') && !take_digits(p, 2, 0, 60, &second)) /* 60: a leap second */
        return false;
    const bool fraction = take_sign(p, '.');
    if (fraction && !take_digits(p, 1, 0, 9, &ignored))
        return false;
    while (fraction && **p >= '0' && **p <= '9')
        (*p)++;
    *seconds += hour * INT64_C(3600) + minute * INT64_C(60) + second;
    return true;
}

static bool take_zone(const char **p, int64_t *seconds)
{
    int hours, minutes = 0;
    if (**p == '\0' || take_sign(p, 'Z'))
        return true;
    const bool behind = take_sign(p, '-');
    if ((!behind && !take_sign(p, '+')) || !take_digits(p, 2, 0, 23, &hours))
        return false;
    if (**p && (take_sign(p, ':'), !take_digits(p, 2, 0, 59, &minutes)))
        return false;
    *seconds += (behind ? 1 : -1) * (hours * INT64_C(3600) + minutes * INT64_C(60));
    return true;
}

static bool read_count(const char *p, int64_t *seconds)
{
    *seconds = 0;
    if (!*p)
        return false;
    for (; *p >= '0' && *p <= '9' && *seconds <= MOST; p++)
        *seconds = *seconds * 10 + (*p - '0');
    return !*p && *seconds <= MOST;
}

bool tk_when_read(const char *text, int64_t *seconds)
{
    const char *p = text;
    if (read_count(text, seconds))
        return true;
    if (!take_day(&p, seconds))
        return false;
    if (*p &&
        ((!take_sign(&p, 'T') && !take_sign(&p, ' ')) || !take_clock(&p, seconds) || !take_zone(&p, seconds)))
        return false;
    return !*p && *seconds >= 0 && *seconds <= MOST;
}

static void when_put_digits(char *out, int digits, int64_t v)
{
    for (int i = digits; i-- > 0; v /= 10)
        out[i] = (char)('0' + v % 10);
}

void tk_when_put(char out[TK_WHEN_TEXT], int64_t seconds)
{
    seconds = seconds < 0 ? 0 : seconds > MOST ? MOST : seconds;
    const int64_t days = seconds / DAY, clock = seconds % DAY;
    int year = (int)(days / 366) + 1970, month = 1; /* never too late */
    while (days_of(year + 1, 1, 1) <= days)
        year++;
    while (month < 12 && days_of(year, month + 1, 1) <= days)
        month++;
    memcpy(out, "0000-00-00T00:00:00Z", TK_WHEN_TEXT);
    when_put_digits(out, 4, year);
    when_put_digits(out + 5, 2, month);
    when_put_digits(out + 8, 2, days - days_of(year, month, 1) + 1);
    when_put_digits(out + 11, 2, clock / 3600);
    when_put_digits(out + 14, 2, clock / 60 % 60);
    when_put_digits(out + 17, 2, clock % 60);
}

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

/* ---- exactly, without printf: v = m * 2^e is m * 5^k / 2^-(e + k) units of 10^-k ---- */

/* A number of 128 bits. */
struct wide {
    uint64_t high, low;
};

static struct wide multiply(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = a & UINT32_MAX, b1 = b >> 32, b0 = b & UINT32_MAX;
    const uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32), other = a0 * b1 + (middle & UINT32_MAX);
    return (struct wide){a1 * b1 + (middle >> 32) + (other >> 32), other << 32 | (low & UINT32_MAX)};
}

static struct wide plus(struct wide a, uint64_t b)
{
    return (struct wide){a.high + (a.low + b < b), a.low + b};
}

static struct wide minus(struct wide a, uint64_t b)
{
    return (struct wide){a.high - (a.low < b), a.low - b};
}

/* a / 2^by, by 1 to 63; *rest: whether something is left over. */
static uint64_t shifted(struct wide a, int by, bool *rest)
{
    *rest = (a.low & ((UINT64_C(1) << by) - 1)) != 0;
    return a.high << (64 - by) | a.low >> by;
}

/* What a value is in units of 10^-k, and the whole units from `least` to `most` that a reader takes for it.
 */
struct units {
    uint64_t whole, least, most;
    int k, half; /* half: what is left behind `whole` is less than a half (-1), more (1), or just that (0) */
    bool rest;   /* something is left */
};

enum {
    LEAST_EXPONENT = -33,
    MOST_EXPONENT = 49
}; /* of two: k is 2 to 26, and 5^k has no more than 64 bits */

/* false: out of range, or at a power of two, above which values are twice as far apart as below. */
static bool count_units(struct units *u, double v)
{
    int exponent;
    const double fraction = frexp(v, &exponent);
    if (exponent - 1 < LEAST_EXPONENT || exponent - 1 > MOST_EXPONENT || fraction == 0.5)
        return false;
    const uint64_t m = (uint64_t)ldexp(fraction, DBL_MANT_DIG);
    const int p = ((exponent - 1) * 1233 + 20 * 4096) / 4096 - 20; /* the exponent of ten, or one less */
    uint64_t fives = 1;
    u->k = 16 - p;
    for (int i = 0; i < u->k; i++)
        fives *= 5;
    const int by = DBL_MANT_DIG - exponent - u->k + 1; /* twice the value, so that its half steps are whole */
    const struct wide value = multiply(2 * m, fives);
    const bool even = m % 2 == 0;
    bool rest;
    u->whole = shifted(value, by, &u->rest);
    const uint64_t behind = value.low & ((UINT64_C(1) << by) - 1), half = UINT64_C(1) << (by - 1);
    u->half = behind < half ? -1 : behind > half;
    u->least = shifted(minus(value, fives), by, &rest);
    u->least += rest || !even;
    u->most = shifted(plus(value, fives), by, &rest);
    u->most -= !rest && !even;
    return true;
}

/* Is what is left behind whole multiples of `scale` less than half of it (-1), more (1), or just that (0)? */
static int against_half(const struct units *u, uint64_t scale)
{
    const uint64_t left = u->whole % scale;
    if (scale == 1)
        return u->half;
    return left < scale / 2 ? -1 : left > scale / 2 || u->rest;
}

/* The fewest digits that a reader takes for v, and of these the nearest. */
static bool exactly(struct decimal *d, double v)
{
    struct units u;
    if (!count_units(&u, v))
        return false;
    int zeros = 0;
    uint64_t scale = 1;
    for (uint64_t least, most; (most = u.most / 10) >= (least = (u.least + 9) / 10); zeros++, scale *= 10) {
        u.least = least;
        u.most = most;
    }
    uint64_t digits = u.whole / scale;
    const int half = against_half(&u, scale);
    digits += half > 0 || (half == 0 && digits % 2);
    d->n = (int)tk_put_u64(d->digits, digits);
    d->point = d->n + zeros - u.k;
    drop_zeros(d);
    return true;
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
    } else if (single || (!exactly(&d, v) && !few_digits(&d, v))) {
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
