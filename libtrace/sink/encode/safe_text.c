/*
 * Replaces invalid Unicode and makes control characters visible. Every sink calls it before it writes a text
 * of a capture.
 */
#include "sink/encode/safe_text.h"

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

/* Characters that steer a terminal or hide what follows. */
static bool unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F);
}

static void put_escape(struct tk_buffer *b, uint32_t c)
{
    static const char hex[] = "0123456789abcdef";
    static const char *const named[] = {['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r"};
    unsigned digits = c < 0x80 ? 2 : c < 0x10000 ? 4 : 8;
    if (c < sizeof named / sizeof *named && named[c]) {
        tk_buffer_text(b, named[c]);
        return;
    }
    tk_buffer_char(b, '\\');
    tk_buffer_char(b, digits == 2 ? 'x' : digits == 4 ? 'u' : 'U');
    while (digits-- > 0)
        tk_buffer_char(b, hex[c >> (4 * digits) & 15]);
}

void tk_safe_text(struct tk_buffer *b, struct tk_str s, unsigned flags)
{
    const uint8_t *p = (const uint8_t *)s.p;
    for (size_t at = 0, len = 0; at < s.n; at += len) {
        uint32_t c = next_code(p + at, s.n - at, s.enc, &len);
        if (unsafe(c) || ((flags & TK_SAFE_TEXT_ASCII) && c >= 0x80)) {
            put_escape(b, c);
            continue;
        }
        if ((flags & TK_SAFE_TEXT_QUOTED) && (c == '"' || c == '\\'))
            tk_buffer_char(b, '\\');
        put_code(b, c);
    }
}
