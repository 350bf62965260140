/*
 * Replaces invalid Unicode and makes control characters visible. Every sink calls it before it writes a text
 * of a capture.
 */
#include "sink/write/safe_text.h"

#include "base/text/shown.h"
#include "base/text/text.h"

bool tk_text_is_utf8(const struct tk_str *s)
{
    return s->enc == TK_ENC_UTF8 && tk_utf8_valid(s->p, s->n);
}

/* The next code point of a text in any encoding; *len bytes were used. n >= 1. */
static uint32_t next_code(const uint8_t *p, size_t n, uint8_t enc, size_t *len)
{
    if (enc != TK_ENC_UTF16)
        return tk_utf8_next(p, n, len);
    *len = n;
    uint32_t c = n < 2 ? 0xFFFD : tk_utf16_next(p, n, len);
    return tk_is_surrogate(c) ? 0xFFFD : c;
}

static void put_code(struct tk_buffer *b, uint32_t code)
{
    uint8_t bytes[4];
    size_t n = tk_utf8_put(bytes, code);
    tk_buffer_put(b, bytes, n);
}

struct tk_str tk_safe_text_clean(struct tk_buffer *scratch, struct tk_str s)
{
    const uint8_t *p = (const uint8_t *)s.p;
    if (tk_text_is_utf8(&s))
        return s;
    scratch->n = 0;
    for (size_t at = 0, len = 0; at < s.n; at += len)
        put_code(scratch, next_code(p + at, s.n - at, s.enc, &len));
    return (struct tk_str){.p = scratch->p, .n = (uint32_t)scratch->n, .enc = TK_ENC_UTF8};
}

/* The character behind, or 0. */
static uint32_t peek(const uint8_t *p, size_t n, uint8_t enc)
{
    size_t ignored;
    return n ? next_code(p, n, enc, &ignored) : 0;
}

void tk_safe_text(struct tk_buffer *b, struct tk_str s, unsigned flags)
{
    const uint8_t *p = (const uint8_t *)s.p;
    struct tk_shown shown = {0};
    char out[TK_SHOWN_BYTES];
    for (size_t at = 0, len = 0; at < s.n; at += len) {
        uint32_t c = next_code(p + at, s.n - at, s.enc, &len);
        tk_buffer_put(b, out, tk_show(&shown, c, peek(p + at + len, s.n - at - len, s.enc), flags, out));
    }
}
