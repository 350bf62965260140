/*
 * Sketch: how often which values occurred, in buckets whose width grows with the value; percentiles of any
 * number of values in little memory. Integers only, so that the same values give the same sketch in any order
 * and on any machine.
 *
 * With `bits` b, every octave [2^e, 2^(e+1)) is cut into 2^b buckets; values below 2^(b+1) have one each. A
 * bucket is represented by its middle, so that a percentile is off by at most 1 / 2^(b+1) of itself: 0.8 %
 * with 6 bits, 0.4 % with 7.
 */
#ifndef TK_STATS_SKETCH_H
#define TK_STATS_SKETCH_H

#include "base/bits.h"

#include <stddef.h>
#include <stdint.h>

#define TK_SKETCH_CALLS  6u /* bits for calls: 64 buckets an octave */
#define TK_SKETCH_FRAMES 7u /* bits for frames: 128 buckets an octave */

struct tk_sketch_large; /* larger counters of some of the buckets */

/*
 * The counters of a range of buckets, from its first on. They are small, as it is their number that keeps
 * them out of the nearest cache, and most of them hold hardly anything. What goes from full ones is in larger
 * ones, which there are of the buckets from the first to the last that needs one. A bucket's number is the
 * sum of the three.
 *
 * Of many sketches most have few values: a thin one (thin_sketch.h) has half a byte for each bucket.
 */
struct tk_sketch_block {
    union {
        struct {
            struct tk_sketch_large *more; /* owned; of 16 bits; NULL: no byte was full yet */
            struct tk_sketch_large *most; /* owned; of 64 bits; NULL: none of the former was full yet */
        } wide;
        struct {
            struct tk_sketch_block **self; /* see thin_blocks.h */
            uint16_t n_full;               /* see thin_sketch.h */
        } thin;
    } u;
    uint8_t counts[]; /* bytes; of a thin one halves of them, the low one first */
};

/* 16 bytes, to lie beside the sums of a timer. */
struct tk_sketch {
    struct tk_sketch_block *block; /* owned, unless it is thin; NULL: no values yet */
    uint16_t first, range;         /* buckets that have a counter */
    uint16_t n;                    /* as range, but 0 where it is thin */
    uint8_t bits;
    uint8_t thin; /* 1: it is */
};

/* Begins without values. */
static inline void tk_sketch_init(struct tk_sketch *s, unsigned bits)
{
    *s = (struct tk_sketch){.bits = (uint8_t)bits};
}

/* A thin one leaves its block to the others that it lies among, which are to be released next. */
void tk_sketch_release(struct tk_sketch *s);

/* The bucket of a value. */
static inline uint32_t tk_sketch_bucket(unsigned bits, uint64_t value)
{
    /* with a bit that makes no shift negative, so that there is nothing to branch on */
    uint64_t v = value | UINT64_C(1) << bits;
    unsigned shift = 63 - tk_zeros_above(v) - bits;
    return (shift << bits) + (uint32_t)(value >> shift);
}

/* The middle of a bucket. */
uint64_t tk_sketch_value(unsigned bits, uint32_t bucket);

/* Makes room for buckets from one to another at once, in a sketch that is not thin. 0, or -1 if out of
 * memory. */
int tk_sketch_cover(struct tk_sketch *s, uint32_t least, uint32_t greatest);

/* As tk_sketch_add_n, where there may be no room yet. */
int tk_sketch_add_far(struct tk_sketch *s, uint32_t bucket, uint64_t n);

/* Adds n values that lie in a bucket, to a sketch that is not thin. 0, or -1 if out of memory. */
static inline int tk_sketch_add_n(struct tk_sketch *s, uint32_t bucket, uint64_t n)
{
    const uint32_t at = bucket - s->first;
    if (at >= s->n || n > (uint64_t)UINT8_MAX - s->block->counts[at])
        return tk_sketch_add_far(s, bucket, n);
    s->block->counts[at] = (uint8_t)(s->block->counts[at] + n);
    return 0;
}

/* Adds a value to a sketch that is not thin. 0, or -1 if out of memory. */
static inline int tk_sketch_add(struct tk_sketch *s, unsigned bits, uint64_t value)
{
    uint32_t bucket = tk_sketch_bucket(bits, value), at = bucket - s->first;
    if (at >= s->n || s->block->counts[at] == UINT8_MAX)
        return tk_sketch_add_n(s, bucket, 1);
    s->block->counts[at]++;
    return 0;
}

/* Brings the counter of a bucket near that is to be added to soon. Changes nothing. */
static inline void tk_sketch_prefetch(const struct tk_sketch *s, uint32_t bucket)
{
    const uint32_t at = bucket - s->first;
    if (at < s->n)
        tk_prefetch_write(&s->block->counts[at]);
}

/* Adds all values of another sketch of the same bits to one that is not thin. 0, or -1 if out of memory (then
 * some were added). */
int tk_sketch_merge(struct tk_sketch *into, const struct tk_sketch *from);

/* How many values there are in all, and in a bucket. */
uint64_t tk_sketch_count(const struct tk_sketch *s);
uint64_t tk_sketch_count_at(const struct tk_sketch *s, uint32_t bucket);

/* The value (middle of its bucket) that has `rank` in order of size; rank 1 is the least; 0 when there are
 * fewer. */
uint64_t tk_sketch_ranked(const struct tk_sketch *s, uint64_t rank);

/* The value (middle of its bucket) of the bucket with the most values, the least of several; 0 without
 * values.
 */
uint64_t tk_sketch_mode(const struct tk_sketch *s);

/* Nearest rank of the percentile share / of among n values: share * n / of rounded up, at least 1. share <=
 * of <= 10^9. */
uint64_t tk_sketch_rank(uint64_t n, unsigned share, unsigned of);

#endif
