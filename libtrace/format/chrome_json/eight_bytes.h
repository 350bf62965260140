/*
 * Eight characters of a text at once, as a number whose least significant byte is the first of them. The
 * usual forms of keys, texts and numbers are read with it.
 */
#ifndef TK_FORMAT_CHROME_JSON_EIGHT_BYTES_H
#define TK_FORMAT_CHROME_JSON_EIGHT_BYTES_H

#include "base/bits.h"
#include "base/cursor.h"

#define TK_EIGHT_ONES  UINT64_C(0x0101010101010101)
#define TK_EIGHT_HIGHS (TK_EIGHT_ONES << 7)

/* Bit 7 of each byte that is a character; of the lowest such byte and those before it, it is exact. */
static inline uint64_t tk_eight_equal(uint64_t bytes, char c)
{
    uint64_t v = bytes ^ (TK_EIGHT_ONES * (uint8_t)c);
    return (v - TK_EIGHT_ONES) & ~v & TK_EIGHT_HIGHS;
}

/* The same of bytes that are no digits. */
static inline uint64_t tk_eight_no_digits(uint64_t bytes)
{
    uint64_t v = bytes ^ (TK_EIGHT_ONES * '0');
    return ((v + TK_EIGHT_ONES * 0x76) | v) & TK_EIGHT_HIGHS;
}

/* The place of the lowest of such bits; 8: there is none. */
static inline unsigned tk_eight_first(uint64_t bits)
{
    return bits ? tk_zeros_below(bits) / 8 : 8;
}

/* The first n of the bytes, 0 < n <= 8; those behind are 0. */
static inline uint64_t tk_eight_head(uint64_t bytes, unsigned n)
{
    return bytes & UINT64_MAX >> (64 - 8 * n);
}

/* The number of n digits, 0 < n <= 8, that stand in front. */
static inline uint64_t tk_eight_digits(uint64_t bytes, unsigned n)
{
    uint64_t v = (bytes << (64 - 8 * n)) & (TK_EIGHT_ONES * 0x0f);
    v = (v * 2561 >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    v = (v * 6553601 >> 16) & UINT64_C(0x0000ffff0000ffff);
    return v * UINT64_C(42949672960001) >> 32;
}

#endif
