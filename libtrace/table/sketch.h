/*
 * Sketch: how often which values occurred, in buckets whose width grows with the value; percentiles of any
 * number of values in little memory. Integers only, so that the same values give the same sketch in any order
 * and on any machine.
 *
 * With `bits` b, every octave [2^e, 2^(e+1)) is cut into 2^b buckets; values below 2^(b+1) have one each. A
 * bucket is represented by its middle, so that a percentile is off by at most 1 / 2^(b+1) of itself: 0.8 %
 * with 6 bits, 0.4 % with 7.
 */
#ifndef TK_TABLE_SKETCH_H
#define TK_TABLE_SKETCH_H

#include "base/bits.h"
#include "base/vec.h"

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
 * Of many sketches most have few values: a thin one has half a byte for each bucket.
 */
struct tk_sketch_block {
    union {
        struct {
            struct tk_sketch_large *more; /* owned; of 16 bits; NULL: no byte was full yet */
            struct tk_sketch_large *most; /* owned; of 64 bits; NULL: none of the former was full yet */
        } wide;
        struct {
            struct tk_sketch_block **self;
            uint16_t n_full;
        } thin;
    } u;
    uint8_t counts[]; /* bytes; of a thin one halves of them, the low one first */
};

/* 16 bytes, to lie alongside the sums of a timer. */
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

/* Makes space for buckets from one to another at once, in a sketch that is not thin. 0, or -1 if out of
 * memory. */
int tk_sketch_cover(struct tk_sketch *s, uint32_t least, uint32_t greatest);

/* As tk_sketch_add_n, where there may be no space yet. */
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

/*
 * Thin blocks: many blocks of memory that grow now and then, without holes between them. Those of a size,
 * which is a multiple of 32 bytes, lie one after the other, and where one goes, the last one of its size
 * takes its place. As blocks move so, each begins with the address of the only pointer to it, which is kept
 * right.
 */

#define TK_THIN_STEP 32u
#define TK_THIN_MOST 1024u /* bytes of a block */

/* Blocks of a size. */
struct tk_thin_size {
    TK_VEC(char *) chunks; /* owned; for 1, 2, 4 and more blocks, and then as many as 4 KB hold */
    uint32_t n;            /* blocks */
};

/* Zero-initialise to begin. */
struct tk_thin_blocks {
    TK_VEC(struct tk_thin_size) sizes; /* by steps, less one */
};

/*
 * Makes *ref, a block of `from` bytes (or 0: NULL), one of `to` bytes (or 0, and *ref NULL), at most
 * TK_THIN_MOST, with the same contents as far as both reach, except for the address at the beginning. Another
 * block may move. 0, or -1 if out of memory: then nothing changes.
 */
int tk_thin_blocks_resize(struct tk_thin_blocks *b, void *ref, size_t from, size_t to);

/* Frees all blocks; pointers to them are left as they are. */
void tk_thin_blocks_release(struct tk_thin_blocks *b);

/*
 * Thin sketches: the form of a sketch that has few values, where there are many. A bucket has half a byte.
 * Whenever one is full, 16 of its values go to a list of buckets, in order, which follows the counters. A
 * list that would become longer than a sixteenth of the buckets takes more time and memory than it saves:
 * then the sketch becomes one of bytes. So does one whose range is too long.
 *
 * tk_sketch_count, tk_sketch_count_at, tk_sketch_ranked and tk_sketch_mode take thin ones, too; and
 * tk_sketch_merge as what is added.
 */

/* Adds n values that lie in a bucket. A sketch without values becomes a thin one, of which the block is one
 * of `blocks`; others stay what they are, or become wider. 0, or -1 if out of memory. */
int tk_thin_sketch_add_n(struct tk_sketch *s, struct tk_thin_blocks *blocks, uint32_t bucket, uint64_t n);

/* Bits of a full counter, and what one value adds to its byte: of a byte, and of both halves. */
static const struct tk_thin_counter {
    uint8_t full, one;
} tk_thin_counters[] = {{255, 1}, {255, 1}, {15, 1}, {240, 16}};

/* Adds a value likewise, without a branch between thin sketches and others: where values of both come in
 * turn, it could not be predicted. */
static inline int tk_thin_sketch_add(struct tk_sketch *s, struct tk_thin_blocks *blocks, unsigned bits,
                                     uint64_t value)
{
    const uint32_t bucket = tk_sketch_bucket(bits, value), at = bucket - s->first;
    if (at >= s->range)
        return tk_thin_sketch_add_n(s, blocks, bucket, 1);
    const struct tk_thin_counter counter = tk_thin_counters[s->thin * 2u + at % 2];
    uint8_t *byte = &s->block->counts[at >> s->thin];
    if ((*byte & counter.full) == counter.full)
        return tk_thin_sketch_add_n(s, blocks, bucket, 1);
    *byte = (uint8_t)(*byte + counter.one);
    return 0;
}

/* As tk_sketch_prefetch, for tk_thin_sketch_add. */
static inline void tk_thin_sketch_prefetch(const struct tk_sketch *s, uint32_t bucket)
{
    const uint32_t at = bucket - s->first;
    if (at < s->range)
        tk_prefetch_write(&s->block->counts[at >> s->thin]);
}

/* As tk_sketch_merge, to one that tk_thin_sketch_add takes. */
int tk_thin_sketch_merge(struct tk_sketch *into, struct tk_thin_blocks *blocks, const struct tk_sketch *from);

#endif
