/*
 * Texts in fields. See field_texts.h.
 */
#include "edit/utrace/texts/field_texts.h"

#include "base/cursor.h"

/* ---- characters ---- */

static void put_utf8(struct tk_anon_text *out, uint32_t c)
{
    uint8_t b[4] = {(uint8_t)c};
    size_t n = 1;
    if (c >= 0x10000) {
        b[0] = (uint8_t)(0xf0 | (c >> 18 & 7));
        b[1] = (uint8_t)(0x80 | (c >> 12 & 63));
        b[2] = (uint8_t)(0x80 | (c >> 6 & 63));
        b[3] = (uint8_t)(0x80 | (c & 63));
        n = 4;
    } else if (c >= 0x800) {
        b[0] = (uint8_t)(0xe0 | c >> 12);
        b[1] = (uint8_t)(0x80 | (c >> 6 & 63));
        b[2] = (uint8_t)(0x80 | (c & 63));
        n = 3;
    } else if (c >= 0x80) {
        b[0] = (uint8_t)(0xc0 | c >> 6);
        b[1] = (uint8_t)(0x80 | (c & 63));
        n = 2;
    }
    tk_anon_put(out, b, n);
}

static void widen_from(struct tk_anon_text *out, const uint8_t *p, size_t n, unsigned width)
{
    for (size_t at = 0; at + width <= n; at += width) {
        uint32_t c = (uint32_t)tk_load_le(p + at, width);
        if (width == 2 && c >= 0xd800 && c < 0xdc00 && at + 4 <= n) {
            const uint32_t low = tk_load16(p + at + 2);
            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                at += 2;
            }
        }
        put_utf8(out, c);
    }
}

/* The character at *at, as put_utf8 writes it; bytes that are none count for themselves. */
static uint32_t next_utf8(const uint8_t *p, size_t n, size_t *at)
{
    const uint8_t head = p[*at];
    const size_t more = head >= 0xf0 ? 3 : head >= 0xe0 ? 2 : head >= 0xc0 ? 1 : 0;
    uint32_t c = more == 3 ? head & 7u : more == 2 ? head & 15u : more == 1 ? head & 31u : head;
    if (*at + more >= n) {
        ++*at;
        return head;
    }
    for (size_t i = 1; i <= more; i++)
        c = c << 6 | (p[*at + i] & 63u);
    *at += 1 + more;
    return c;
}

static void put_unit(struct tk_anon_text *out, uint32_t c, unsigned width)
{
    const uint8_t b[4] = {(uint8_t)c, (uint8_t)(c >> 8), (uint8_t)(c >> 16), (uint8_t)(c >> 24)};
    tk_anon_put(out, b, width);
}

static void put_wide(struct tk_anon_text *out, const uint8_t *p, size_t n, unsigned width)
{
    for (size_t at = 0; at < n;) {
        const uint32_t c = next_utf8(p, n, &at);
        if (width == 2 && c >= 0x10000) {
            put_unit(out, 0xd800 + ((c - 0x10000) >> 10 & 0x3ff), 2);
            put_unit(out, 0xdc00 + ((c - 0x10000) & 0x3ff), 2);
        } else {
            put_unit(out, c, width);
        }
    }
}

/* A text without its terminator. */
static void map_text(unsigned width, const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx,
                     struct tk_anon_text *out)
{
    struct tk_anon_text narrow = {0}, changed = {0};
    if (width == 1) {
        fn(ctx, p, n, out);
        return;
    }
    widen_from(&narrow, p, n, width);
    fn(ctx, narrow.bytes.v, narrow.bytes.n, &changed);
    put_wide(out, changed.bytes.v, changed.bytes.n, width);
    out->failed |= narrow.failed || changed.failed;
    tk_vec_release(&narrow.bytes);
    tk_vec_release(&changed.bytes);
}

static void map_field(unsigned width, const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx,
                      struct tk_anon_text *out)
{
    size_t size = n - n % width;
    while (size >= width && tk_load_le(p + size - width, width) == 0)
        size -= width;
    if (size)
        map_text(width, p, size, fn, ctx, out);
    for (size_t i = size; i + width <= n; i += width)
        put_unit(out, 0, width);
}

/* ---- arguments ---- */

static void map_argument(struct tk_cur *c, unsigned width, tk_edit_text_fn *fn, void *ctx,
                         struct tk_anon_text *out)
{
    const size_t left = tk_cur_left(c);
    size_t n = 0;
    while (n + width <= left && tk_load_le(c->p + n, width) != 0)
        n += width;
    if (n)
        map_text(width, c->p, n, fn, ctx, out);
    if (n + width <= left)
        put_unit(out, 0, width);
    (void)tk_take(c, n + width <= left ? n + width : left, "text");
}

static void map_args(const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out)
{
    enum { TEXT = 3 };
    struct tk_cur c = tk_cur_of(p, n);
    const size_t count = tk_u8(&c, "count");
    const uint8_t *kinds = tk_take(&c, count, "descriptors");
    if (!kinds) /* more are told of than there can be */
        return;
    tk_anon_put(out, p, 1 + count);
    for (size_t i = 0; i < count && tk_cur_ok(&c); i++) {
        const unsigned size = kinds[i] & 63u;
        if (kinds[i] >> 6 == TEXT) {
            map_argument(&c, size == 2 || size == 4 ? size : 1, fn, ctx, out);
            continue;
        }
        const uint8_t *value = tk_take(&c, size, "argument");
        if (value)
            tk_anon_put(out, value, size);
    }
}

/* ---- CBOR ---- */

static void put_head(struct tk_anon_text *out, uint8_t major, size_t n)
{
    uint8_t b[5] = {(uint8_t)(major | n), (uint8_t)n};
    size_t size = 1;
    if (n >= 1u << 16) {
        b[0] = (uint8_t)(major | 26);
        for (unsigned i = 0; i < 4; i++)
            b[1 + i] = (uint8_t)(n >> (24 - 8 * i));
        size = 5;
    } else if (n >= 1u << 8) {
        b[0] = (uint8_t)(major | 25);
        b[1] = (uint8_t)(n >> 8);
        b[2] = (uint8_t)n;
        size = 3;
    } else if (n >= 24) {
        b[0] = (uint8_t)(major | 24);
        size = 2;
    }
    tk_anon_put(out, b, size);
}

static void map_value(struct tk_cur *c, uint8_t major, uint64_t n, tk_edit_text_fn *fn, void *ctx,
                      struct tk_anon_text *out)
{
    const uint8_t *p = n <= tk_cur_left(c) ? tk_take(c, (size_t)n, "a text") : NULL;
    struct tk_anon_text text = {0};
    if (!p) {
        c->p = c->end;
        return;
    }
    if (n)
        fn(ctx, p, (size_t)n, &text);
    put_head(out, major, text.bytes.n);
    tk_anon_put(out, text.bytes.v, text.bytes.n);
    out->failed |= text.failed;
    tk_vec_release(&text.bytes);
}

static void map_cbor(const uint8_t *p, size_t n, tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out)
{
    enum { BYTES = 0x40, TEXT = 0x60, MAJOR = 0xe0 };
    struct tk_cur c = tk_cur_of(p, n);
    while (tk_cur_left(&c)) {
        const uint8_t *from = c.p;
        const uint8_t head = tk_u8(&c, "a value");
        const unsigned info = head & 31u;
        const size_t width = info >= 24 && info <= 27 ? (size_t)1 << (info - 24) : 0;
        const uint8_t *number = tk_take(&c, width, "a number");
        uint64_t value = info < 24 ? info : 0;
        if (!number)
            return;
        for (size_t i = 0; i < width; i++)
            value = value << 8 | number[i];
        if ((head & MAJOR) == BYTES || (head & MAJOR) == TEXT)
            map_value(&c, head & MAJOR, value, fn, ctx, out);
        else
            tk_anon_put(out, from, (size_t)(c.p - from));
    }
}

void tk_edit_texts_map(enum tk_edit_holds holds, unsigned width, const uint8_t *p, size_t n,
                       tk_edit_text_fn *fn, void *ctx, struct tk_anon_text *out)
{
    if (!n)
        return;
    if (holds == TK_EDIT_HOLDS_TEXT)
        map_field(width, p, n, fn, ctx, out);
    else if (holds == TK_EDIT_HOLDS_ARGS)
        map_args(p, n, fn, ctx, out);
    else if (holds == TK_EDIT_HOLDS_CBOR)
        map_cbor(p, n, fn, ctx, out);
}
