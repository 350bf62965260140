/*
 * The tokenizer.
 */
#include "base/text/text.h"
#include "format/chrome_json/chrome_json_in.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static enum tk_jscan_result bad(struct tk_jscan_scan *s, const char *reason)
{
    s->reason = reason;
    return TK_JSON_BAD;
}

/* ---- texts ---- */

static bool is_hex(uint8_t c)
{
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static enum tk_jscan_result escape(struct tk_jscan_scan *s)
{
    if (s->end - s->p < 2)
        return TK_JSON_CUT;
    if (s->p[1] != 'u') {
        if (!s->p[1] || !strchr("\"\\/bfnrt", s->p[1]))
            return bad(s, "an escape that JSON does not have");
        s->p += 2;
        return TK_JSON_OK;
    }
    for (ptrdiff_t i = 2; i < 6; i++) {
        if (s->end - s->p <= i)
            return TK_JSON_CUT;
        if (!is_hex(s->p[i]))
            return bad(s, "an escape that JSON does not have");
    }
    s->p += 6;
    return TK_JSON_OK;
}

#define ONES UINT64_C(0x0101010101010101)

/* Is a byte of the word zero? */
static inline uint64_t has_zero(uint64_t v)
{
    return (v - ONES) & ~v & (ONES << 7);
}

/* Up to the next quote or backslash. */
static inline const uint8_t *plain(const uint8_t *p, const uint8_t *end)
{
#if defined(__SSE2__)
    const __m128i quotes = _mm_set1_epi8('"'), slashes = _mm_set1_epi8('\\');
    for (; end - p >= 16; p += 16) {
        const __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        int found = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quotes), _mm_cmpeq_epi8(v, slashes)));
        if (found)
            return p + __builtin_ctz((unsigned)found);
    }
#endif
    while (end - p >= 8) {
        uint64_t v;
        memcpy(&v, p, sizeof v);
        if (has_zero(v ^ (ONES * '"')) | has_zero(v ^ (ONES * '\\')))
            break;
        p += 8;
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

enum tk_jscan_result tk_jscan_string(struct tk_jscan_scan *s, struct tk_jscan_value *out)
{
    *out = (struct tk_jscan_value){.p = s->p, .kind = TK_JSON_STRING};
    for (;;) {
        s->p = plain(s->p, s->end);
        if (s->p == s->end)
            return TK_JSON_CUT;
        if (*s->p == '"')
            break;
        out->escaped = true;
        enum tk_jscan_result r = escape(s);
        if (r != TK_JSON_OK)
            return r;
    }
    out->n = (size_t)(s->p - out->p);
    s->p++;
    return TK_JSON_OK;
}

static uint32_t hex4(const uint8_t *p)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++)
        v = v << 4 | (uint32_t)(p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
    return v;
}

/* A code point of \uXXXX, perhaps a pair; p stands behind the u, and behind all afterwards. */
static uint32_t code_point(const uint8_t **p, const uint8_t *end)
{
    uint32_t high = hex4(*p);
    *p += 4;
    if (high < 0xd800 || high > 0xdbff || end - *p < 6 || (*p)[0] != '\\' || (*p)[1] != 'u')
        return high;
    uint32_t low = hex4(*p + 2);
    if (low < 0xdc00 || low > 0xdfff)
        return high;
    *p += 6;
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

size_t tk_jscan_unescape(const struct tk_jscan_value *v, uint8_t *out)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const uint8_t *p = v->p, *end = v->p + v->n;
    size_t n = 0;
    while (p < end) {
        if (*p != '\\') {
            out[n++] = *p++;
            continue;
        }
        uint8_t c = p[1];
        p += 2;
        const char *at = strchr(from, c);
        if (c == 'u')
            n += tk_utf8_put(out + n, code_point(&p, end));
        else
            out[n++] = at ? (uint8_t)to[at - from] : c;
    }
    return n;
}

/* ---- numbers and words ---- */

static inline bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* One digit or more. */
static enum tk_jscan_result digits(struct tk_jscan_scan *s)
{
    if (s->p == s->end)
        return TK_JSON_CUT;
    if (!is_digit(*s->p))
        return bad(s, "a number without digits");
    while (s->p < s->end && is_digit(*s->p))
        s->p++;
    return s->p == s->end ? TK_JSON_CUT : TK_JSON_OK;
}

static enum tk_jscan_result word(struct tk_jscan_scan *s, const char *text, uint8_t kind,
                                 struct tk_jscan_value *out)
{
    size_t n = strlen(text), have = (size_t)(s->end - s->p);
    if (memcmp(s->p, text, have < n ? have : n) != 0)
        return bad(s, "neither a number, a string, a bracket nor a literal");
    if (have < n)
        return TK_JSON_CUT;
    *out = (struct tk_jscan_value){.p = s->p, .n = n, .kind = kind};
    s->p += n;
    return TK_JSON_OK;
}

static enum tk_jscan_result fraction(struct tk_jscan_scan *s)
{
    enum tk_jscan_result r = TK_JSON_OK;
    if (*s->p == '.') {
        s->p++;
        r = digits(s);
    }
    if (r == TK_JSON_OK && (*s->p | 0x20) == 'e') {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
            s->p++;
        r = digits(s);
    }
    return r;
}

static enum tk_jscan_result number(struct tk_jscan_scan *s, struct tk_jscan_value *out)
{
    const uint8_t *first = s->p;
    if (*s->p == '-') {
        s->p++;
        if (s->p < s->end && *s->p == 'I') {
            s->p--;
            return word(s, "-Infinity", TK_JSON_NAN, out);
        }
    }
    const uint8_t *whole = s->p;
    enum tk_jscan_result r = digits(s);
    if (r == TK_JSON_OK && *whole == '0' && s->p - whole > 1)
        r = bad(s, "a number that begins with 0");
    if (r == TK_JSON_OK)
        r = fraction(s);
    *out = (struct tk_jscan_value){.p = first, .n = (size_t)(s->p - first), .kind = TK_JSON_NUMBER};
    return r;
}

static enum tk_jscan_result scalar(struct tk_jscan_scan *s, struct tk_jscan_value *out)
{
    switch (*s->p) {
    case '"':
        s->p++;
        return tk_jscan_string(s, out);
    case 't':
        return word(s, "true", TK_JSON_TRUE, out);
    case 'f':
        return word(s, "false", TK_JSON_FALSE, out);
    case 'n':
        return word(s, "null", TK_JSON_NULL, out);
    case 'N':
        s->no_number = true;
        return word(s, "NaN", TK_JSON_NAN, out);
    case 'I':
        s->no_number = true;
        return word(s, "Infinity", TK_JSON_NAN, out);
    default:
        if (*s->p == '-' || is_digit(*s->p))
            return number(s, out);
        return bad(s, "neither a number, a string, a bracket nor a literal");
    }
}

/* ---- brackets ---- */

/* A walk over brackets. */
struct depth {
    uint64_t objects[TK_JSON_DEPTH / 64]; /* bit: of that depth, an object */
    size_t n;
};

static inline bool in_object(const struct depth *d)
{
    return d->objects[(d->n - 1) / 64] >> ((d->n - 1) % 64) & 1;
}

static inline void enter(struct depth *d, bool object)
{
    uint64_t bit = UINT64_C(1) << (d->n % 64);
    if (object)
        d->objects[d->n / 64] |= bit;
    else
        d->objects[d->n / 64] &= ~bit;
    d->n++;
}

/* Behind an opening bracket of too great a depth: up to behind its closing one, by quotes and brackets. */
static enum tk_jscan_result count_brackets(struct tk_jscan_scan *s)
{
    struct tk_jscan_value text;
    for (size_t open = 1; open; s->p++) {
        if (s->p == s->end)
            return TK_JSON_CUT;
        if (*s->p == '{' || *s->p == '[')
            open++;
        else if (*s->p == '}' || *s->p == ']')
            open--;
        else if (*s->p == '"') {
            s->p++;
            enum tk_jscan_result r = tk_jscan_string(s, &text);
            if (r != TK_JSON_OK)
                return r;
            s->p--;
        }
    }
    return TK_JSON_OK;
}

static inline enum tk_jscan_result key_and_colon(struct tk_jscan_scan *s, struct tk_jscan_value *key)
{
    if (*s->p != '"')
        return bad(s, "a key that is not a string");
    s->p++;
    enum tk_jscan_result r = tk_jscan_string(s, key);
    if (r != TK_JSON_OK)
        return r;
    tk_jscan_space(s);
    if (s->p == s->end)
        return TK_JSON_CUT;
    if (*s->p != ':')
        return bad(s, "no colon after a key");
    s->p++;
    tk_jscan_space(s);
    return s->p == s->end ? TK_JSON_CUT : TK_JSON_OK;
}

/* Behind a value: up to the next one, or behind the last closing bracket, where depth is 0 then. */
static enum tk_jscan_result behind_value(struct tk_jscan_scan *s, struct depth *d, bool first)
{
    while (d->n) {
        bool comma = false;
        tk_jscan_space(s);
        if (s->p == s->end)
            return TK_JSON_CUT;
        if (!first && *s->p == ',') {
            comma = true;
            s->p++;
            tk_jscan_space(s);
            if (s->p == s->end)
                return TK_JSON_CUT;
        }
        if (*s->p == (in_object(d) ? '}' : ']')) {
            s->trailing_comma |= comma;
            s->p++;
            d->n--;
            first = false;
            continue;
        }
        return first || comma ? TK_JSON_OK : bad(s, "neither a comma nor a closing bracket after a value");
    }
    return TK_JSON_OK;
}

static enum tk_jscan_result brackets(struct tk_jscan_scan *s)
{
    struct depth d = {0};
    struct tk_jscan_value v;
    enum tk_jscan_result r;
    d.n = 0;
    for (;;) {
        bool opens = *s->p == '{' || *s->p == '[';
        if (opens && d.n == TK_JSON_DEPTH) {
            s->p++;
            r = count_brackets(s);
            opens = false;
        } else if (opens) {
            enter(&d, *s->p == '{');
            s->p++;
            r = TK_JSON_OK;
        } else
            r = scalar(s, &v);
        if (r == TK_JSON_OK)
            r = behind_value(s, &d, opens);
        if (r != TK_JSON_OK || !d.n)
            return r;
        if (in_object(&d) && (r = key_and_colon(s, &v)) != TK_JSON_OK)
            return r;
    }
}

enum tk_jscan_result tk_jscan_value(struct tk_jscan_scan *s, struct tk_jscan_value *out)
{
    if (s->p == s->end)
        return TK_JSON_CUT;
    if (*s->p != '{' && *s->p != '[')
        return scalar(s, out);
    *out = (struct tk_jscan_value){.p = s->p, .kind = *s->p == '{' ? TK_JSON_OBJECT : TK_JSON_ARRAY};
    enum tk_jscan_result r = brackets(s);
    out->n = (size_t)(s->p - out->p);
    return r;
}

enum tk_jscan_result tk_jscan_member(struct tk_jscan_scan *s, struct tk_jscan_value *key, bool *more)
{
    bool first = s->p[-1] == '{', comma = false;
    *more = false;
    tk_jscan_space(s);
    if (s->p < s->end && *s->p == ',' && !first) {
        comma = true;
        s->p++;
        tk_jscan_space(s);
    }
    if (s->p == s->end)
        return TK_JSON_CUT;
    if (*s->p == '}') {
        s->trailing_comma |= comma;
        s->p++;
        return TK_JSON_OK;
    }
    if (!first && !comma)
        return bad(s, "neither a comma nor a closing bracket after a value");
    *more = true;
    return key_and_colon(s, key);
}

enum { LONGEST_ESCAPE = 6 };

bool tk_jscan_is_escaped(const struct tk_jscan_value *v, const char *text, size_t n)
{
    uint8_t plain[LONGEST_ESCAPE * TK_JSON_COMPARED];
    return n <= TK_JSON_COMPARED && v->n <= LONGEST_ESCAPE * n && tk_jscan_unescape(v, plain) == n &&
           memcmp(plain, text, n) == 0;
}
