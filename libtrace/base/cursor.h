/*
 * Cursor: a checked view of bytes. Every byte of a capture is read through it.
 *
 * The first read that does not fit sets a sticky fault; all later reads give zero, so a parser reads a whole
 * record in straight lines and checks once with tk_cur_ok(). Values read after a fault must not be stored.
 */
#ifndef TK_BASE_CURSOR_H
#define TK_BASE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A run of bytes that somebody else owns. */
struct tk_bytes {
    const uint8_t *p;
    size_t n;
};

struct tk_cur {
    const uint8_t *p;    /* next byte; borrowed */
    const uint8_t *end;  /* one past the last byte */
    const uint8_t *base; /* first byte, for tk_cur_at() */
    const char *fault;   /* NULL, or a static text: what was read when the bytes ran out */
};

static inline struct tk_cur tk_cur_of(const void *p, size_t n)
{
    const uint8_t *b = p;
    return (struct tk_cur){.p = b, .end = n ? b + n : b, .base = b, .fault = NULL};
}

static inline size_t tk_cur_left(const struct tk_cur *c)
{
    return (size_t)(c->end - c->p);
}

/* Bytes consumed so far. */
static inline size_t tk_cur_at(const struct tk_cur *c)
{
    return (size_t)(c->p - c->base);
}

static inline bool tk_cur_ok(const struct tk_cur *c)
{
    return c->fault == NULL;
}

/* The next n bytes, or NULL and a fault when fewer are left. `what` must be a static text. */
static inline const uint8_t *tk_take(struct tk_cur *c, size_t n, const char *what)
{
    const uint8_t *p = c->p;
    if (n > tk_cur_left(c)) {
        if (!c->fault)
            c->fault = what;
        c->p = c->end;
        return NULL;
    }
    c->p += n;
    return p;
}

/* A narrowed cursor over the next n bytes; empty and faulted when they are not there. */
static inline struct tk_cur tk_sub(struct tk_cur *c, size_t n, const char *what)
{
    const uint8_t *p = tk_take(c, n, what);
    struct tk_cur s = tk_cur_of(p ? p : c->end, p ? n : 0);
    s.fault = c->fault;
    return s;
}

/* Loads of bytes whose presence was checked. */
static inline uint16_t tk_load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t tk_load32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t tk_load64(const uint8_t *p)
{
    return (uint64_t)tk_load32(p) | (uint64_t)tk_load32(p + 4) << 32;
}

/* How many of n bytes are zeros, up to the first that is none. */
static inline size_t tk_zeros(const uint8_t *p, size_t n)
{
    size_t i = 0;
    while (i + 8 <= n && !tk_load64(p + i))
        i += 8;
    while (i < n && !p[i])
        i++;
    return i;
}

/* n in 0..8 bytes, least significant first. */
static inline uint64_t tk_load_le(const uint8_t *p, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static inline uint8_t tk_u8(struct tk_cur *c, const char *what)
{
    const uint8_t *p = tk_take(c, 1, what);
    return p ? *p : 0;
}

static inline uint16_t tk_u16(struct tk_cur *c, const char *what)
{
    const uint8_t *p = tk_take(c, 2, what);
    return p ? tk_load16(p) : 0;
}

static inline uint32_t tk_u32(struct tk_cur *c, const char *what)
{
    const uint8_t *p = tk_take(c, 4, what);
    return p ? tk_load32(p) : 0;
}

static inline uint64_t tk_u64(struct tk_cur *c, const char *what)
{
    const uint8_t *p = tk_take(c, 8, what);
    return p ? tk_load64(p) : 0;
}

/* LEB128: seven bits a byte, least significant first, at most ten bytes; longer is a fault. */
static inline uint64_t tk_varint(struct tk_cur *c, const char *what)
{
    const uint8_t *p = c->p;
    uint64_t v = 0;
    if (p < c->end && *p < 0x80) {
        c->p++;
        return *p;
    }
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t b = tk_u8(c, what);
        v |= shift < 64 ? (uint64_t)(b & 0x7f) << shift : 0;
        if (b < 0x80)
            return v;
    }
    if (!c->fault)
        c->fault = what;
    c->p = c->end;
    return 0;
}

#endif
