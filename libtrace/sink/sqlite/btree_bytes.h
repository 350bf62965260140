/*
 * Numbers as SQLite's file format has them: big-endian ones, and its variable-length integers, whose first
 * bytes are the high ones and whose ninth has 8 bits.
 */
#ifndef TK_SINK_SQLITE_BTREE_BYTES_H
#define TK_SINK_SQLITE_BTREE_BYTES_H

#include <stdint.h>

enum { TK_BTREE_LONGEST_VARINT = 9 };

static inline void tk_btree_put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void tk_btree_put32(uint8_t *p, uint32_t v)
{
    tk_btree_put16(p, v >> 16);
    tk_btree_put16(p + 2, v & 0xffff);
}

static inline uint32_t tk_btree_get16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t tk_btree_get32(const uint8_t *p)
{
    return tk_btree_get16(p) << 16 | tk_btree_get16(p + 2);
}

/* Bytes of a number. */
static inline unsigned tk_btree_varint_size(uint64_t v)
{
    unsigned n = 1;
    while (n < TK_BTREE_LONGEST_VARINT && v >> 7 * n)
        n++;
    return n;
}

/* Returns how many bytes it has put, at most TK_BTREE_LONGEST_VARINT. */
static inline unsigned tk_btree_put_varint(uint8_t *p, uint64_t v)
{
    if (v < 0x80) {
        p[0] = (uint8_t)v;
        return 1;
    }
    const unsigned n = tk_btree_varint_size(v);
    unsigned i = n;
    if (n == TK_BTREE_LONGEST_VARINT) {
        p[--i] = (uint8_t)v;
        v >>= 8;
    } else {
        p[--i] = (uint8_t)(v & 0x7f);
        v >>= 7;
    }
    for (; i > 0; v >>= 7)
        p[--i] = (uint8_t)(v & 0x7f) | 0x80;
    return n;
}

#endif
