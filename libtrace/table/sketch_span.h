/*
 * Ranges of counters, which grow by steps at both ends, and sums of counters of eight bytes at a time; for
 * the kinds of sketches.
 */
#ifndef TK_STATS_SKETCH_SPAN_H
#define TK_STATS_SKETCH_SPAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* n buckets from `first` on. */
struct tk_sketch_span {
    uint32_t first, n;
};

/* Widened by whole steps to hold the buckets from `least` to `greatest`. */
static inline struct tk_sketch_span tk_sketch_span_with(struct tk_sketch_span now, uint32_t least,
                                                        uint32_t greatest, uint32_t step)
{
    uint32_t low = least / step * step, high = greatest / step * step + step;
    const uint32_t first = now.n ? now.first : low;
    low = low < first ? low : first;
    high = high > first + now.n ? high : first + now.n;
    return (struct tk_sketch_span){low, high - low};
}

/* Makes n elements of an array the ones from `before` on of `all` elements, of which the others are 0. */
static inline void tk_sketch_span_shift(void *v, size_t size, uint32_t n, uint32_t before, uint32_t all)
{
    char *p = v;
    memmove(p + before * size, p, n * size);
    memset(p, 0, before * size);
    memset(p + (before + n) * size, 0, (all - before - n) * size);
}

static inline uint64_t tk_sketch_eight(const uint8_t *counts)
{
    uint64_t x;
    memcpy(&x, counts, sizeof x);
    return x;
}

/* The sum of eight bytes. */
static inline uint64_t tk_sketch_sum_of_bytes(uint64_t x)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
    return ((x & even) + (x >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48;
}

/* The sum of sixteen halves. */
static inline uint64_t tk_sketch_sum_of_halves(uint64_t x)
{
    const uint64_t half = UINT64_C(0x0f0f0f0f0f0f0f0f);
    return tk_sketch_sum_of_bytes((x & half) + (x >> 4 & half));
}

#endif
