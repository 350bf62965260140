/*
 * Checks and converts UTF-8 and UTF-16. Columns on a terminal are in text_width.c, numbers in number.c.
 */
#include "base/text/text.h"

#include "base/cursor.h"

#include <string.h>

enum { REPLACEMENT = 0xfffd };

/* What the first byte says: length (0: no first byte) and its payload bits. */
static size_t lead(uint8_t b, uint32_t *bits)
{
    size_t len = b < 0x80 ? 1 : b < 0xc2 ? 0 : b < 0xe0 ? 2 : b < 0xf0 ? 3 : b < 0xf5 ? 4 : 0;
    *bits = len == 1 ? b : b & (0x7fu >> len);
    return len;
}

/* Length of the character, 0 when the bytes are none. */
static size_t decode(const uint8_t *p, size_t n, uint32_t *cp)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t v;
    size_t len = lead(p[0], &v);
    if (len == 0 || len > n)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        v = v << 6 | (p[i] & 0x3fu);
    }
    if (v < least[len] || v > 0x10ffff || tk_is_surrogate(v))
        return 0;
    *cp = v;
    return len;
}

bool tk_utf8_valid(const void *p, size_t n)
{
    const uint8_t *b = p;
    size_t at = 0;
    while (at < n) {
        if (n - at >= 8 && (tk_load64(b + at) & UINT64_C(0x8080808080808080)) == 0) {
            at += 8;
            continue;
        }
        uint32_t cp;
        size_t len = decode(b + at, n - at, &cp);
        if (len == 0)
            return false;
        at += len;
    }
    return true;
}

uint32_t tk_utf8_next(const uint8_t *p, size_t n, size_t *len)
{
    uint32_t cp = REPLACEMENT;
    *len = decode(p, n, &cp);
    if (*len == 0)
        *len = 1;
    return cp;
}

size_t tk_utf8_put(uint8_t out[4], uint32_t cp)
{
    if (cp > 0x10ffff || tk_is_surrogate(cp))
        cp = REPLACEMENT;
    if (cp < 0x80) {
        out[0] = (uint8_t)cp;
        return 1;
    }
    size_t len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--, cp >>= 6)
        out[i] = (uint8_t)(0x80 | (cp & 0x3f));
    out[0] = (uint8_t)((0xf00u >> len & 0xff) | cp);
    return len;
}

uint32_t tk_utf16_next(const uint8_t *p, size_t n, size_t *len)
{
    uint32_t high = tk_load16(p);
    *len = 2;
    if (high < 0xd800 || high > 0xdbff || n < 4)
        return high;
    uint32_t low = tk_load16(p + 2);
    if (low < 0xdc00 || low > 0xdfff)
        return high;
    *len = 4;
    return 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
}

bool tk_utf16_valid(const void *p, size_t n)
{
    const uint8_t *b = p;
    if (n % 2)
        return false;
    for (size_t at = 0, len; at < n; at += len) {
        if (tk_is_surrogate(tk_utf16_next(b + at, n - at, &len)))
            return false;
    }
    return true;
}

size_t tk_utf16_to_utf8(uint8_t *out, const void *p, size_t n)
{
    const uint8_t *b = p;
    size_t w = 0;
    for (size_t at = 0, len; n - at >= 2; at += len) {
        uint8_t c[4];
        size_t k = tk_utf8_put(c, tk_utf16_next(b + at, n - at, &len));
        memcpy(out + w, c, k);
        w += k;
    }
    return w;
}

int tk_str_order(const struct tk_str *a, const struct tk_str *b)
{
    if (!a || !b)
        return (a != NULL) - (b != NULL);
    size_t n = a->n < b->n ? a->n : b->n;
    int order = n ? memcmp(a->p, b->p, n) : 0;
    return order ? order : (a->n > b->n) - (a->n < b->n);
}
