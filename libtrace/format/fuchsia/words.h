/*
 * Words of a Fuchsia trace: records consist of whole words of eight bytes (import 4.1).
 */
#ifndef TK_FORMAT_FUCHSIA_WORDS_H
#define TK_FORMAT_FUCHSIA_WORDS_H

#include "base/cursor.h"

#define TK_FX_MAGIC UINT64_C(0x0016547846040010)

/* Little-endian, at any address. */
static inline uint64_t tk_fx_word(const uint8_t *p)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* `count` bits from bit `at` on; count below 64. */
static inline uint64_t tk_fx_bits(uint64_t word, unsigned at, unsigned count)
{
    return word >> at & ((UINT64_C(1) << count) - 1);
}

/* The next word of a record; 0 and a fault where it ends before. */
static inline uint64_t tk_fx_next(struct tk_cur *c)
{
    const uint8_t *p = tk_take(c, 8, "a word");
    return p ? tk_fx_word(p) : 0;
}

/* The next n bytes, padded to whole words. */
static inline struct tk_bytes tk_fx_stream(struct tk_cur *c, size_t n)
{
    const uint8_t *p = tk_take(c, (n + 7) / 8 * 8, "a text");
    return (struct tk_bytes){p, p ? n : 0};
}

#endif
