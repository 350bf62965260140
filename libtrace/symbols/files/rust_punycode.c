/*
 * Identifiers in punycode (RFC 3492) with `_` as the separator. See rust_name.h.
 */
#include "symbols/files/rust_name.h"

#include <string.h>

enum { MOST_CODES = 256, BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, BIAS = 72, FIRST = 128 };

struct codes {
    uint32_t v[MOST_CODES];
    size_t n;
};

static uint32_t adapt(uint32_t delta, uint32_t n, bool first)
{
    uint32_t k = 0;
    delta = first ? delta / DAMP : delta / 2;
    delta += delta / n;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static bool digit_of(char c, uint32_t *digit)
{
    const bool letter = c >= 'a' && c <= 'z';
    *digit = letter ? (uint32_t)(c - 'a') : (uint32_t)(c - '0') + 26;
    return letter || (c >= '0' && c <= '9');
}

/* A number of variable length, at most 2^28. */
static bool take_delta(const char **p, const char *end, uint32_t bias, uint32_t *delta)
{
    uint64_t sum = 0, weight = 1;
    for (uint32_t k = BASE; *p < end; k += BASE) {
        const uint32_t t = k <= bias + T_MIN ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
        uint32_t digit;
        if (!digit_of(*(*p)++, &digit))
            return false;
        sum += digit * weight;
        if (sum >> 28 || weight >> 28)
            return false;
        *delta = (uint32_t)sum;
        if (digit < t)
            return true;
        weight *= BASE - t;
    }
    return false;
}

static bool insert(struct codes *codes, size_t at, uint32_t code)
{
    if (codes->n >= MOST_CODES || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return false;
    memmove(codes->v + at + 1, codes->v + at, (codes->n - at) * sizeof codes->v[0]);
    codes->v[at] = code;
    codes->n++;
    return true;
}

static bool decode(struct codes *codes, const char *p, const char *end)
{
    uint32_t code = FIRST, bias = BIAS, at = 0, delta;
    for (bool first = true; p < end; first = false, at++) {
        if (!take_delta(&p, end, bias, &delta))
            return false;
        const uint32_t n = (uint32_t)codes->n + 1;
        bias = adapt(delta, n, first);
        at += delta;
        code += at / n;
        at %= n;
        if (!insert(codes, at, code))
            return false;
    }
    return true;
}

bool tk_rust_put_punycode(struct tk_rust_name *out, const char *p, size_t n)
{
    struct codes codes = {.n = 0};
    size_t plain = n;
    while (plain && p[plain - 1] != '_')
        plain--;
    if (plain == n || plain > MOST_CODES)
        return false;
    for (size_t i = 0; i + 1 < plain; i++)
        codes.v[codes.n++] = (uint8_t)p[i];
    if (!decode(&codes, p + plain, p + n))
        return false;
    for (size_t i = 0; i < codes.n; i++)
        tk_rust_put_code(out, codes.v[i]);
    return true;
}
