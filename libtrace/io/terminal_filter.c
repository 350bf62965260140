/*
 * See terminal_filter.h.
 */
#include "io/terminal_filter.h"

#include "base/text/shown.h"

#include <string.h>

/* Bytes of the character that begins with this one. */
static size_t length_of(uint8_t first)
{
    return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

static void put_character(const uint8_t *p, size_t n, tk_text_put *put, void *to)
{
    char out[TK_SHOWN_BYTES];
    for (size_t at = 0, len = 0; at < n; at += len) {
        uint32_t c = tk_utf8_next(p + at, n - at, &len);
        const bool plain = c == '\n' || c == '\t' || !tk_is_unsafe(c);
        put(to, out, plain ? tk_utf8_put((uint8_t *)out, c) : tk_unsafe_escape(out, c));
    }
}

/* Is the character at hand complete, or can it not be made complete by this byte? */
static bool ends_before(const struct tk_terminal_filter *f, uint8_t byte)
{
    return f->n && (f->n == length_of(f->part[0]) || (byte & 0xc0) != 0x80);
}

void tk_terminal_filter_put(struct tk_terminal_filter *f, const void *p, size_t n, tk_text_put *put, void *to)
{
    const uint8_t *bytes = p;
    for (size_t i = 0; i < n; i++) {
        if (ends_before(f, bytes[i])) {
            put_character(f->part, f->n, put, to);
            f->n = 0;
        }
        f->part[f->n++] = bytes[i];
        if (f->n < length_of(f->part[0]))
            continue;
        put_character(f->part, f->n, put, to);
        f->n = 0;
    }
}
