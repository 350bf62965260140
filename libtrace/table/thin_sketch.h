/*
 * Thin sketches: the form of a sketch that has few values, where there are many. A bucket has half a byte.
 * Whenever one is full, 16 of its values go to a list of buckets, in order, which follows the counters. A
 * list that would become longer than a sixteenth of the buckets takes more time and memory than it saves:
 * then the sketch becomes one of bytes. So does one whose range is too long.
 *
 * tk_sketch_count, tk_sketch_count_at, tk_sketch_ranked and tk_sketch_mode take thin ones, too; and
 * tk_sketch_merge as what is added.
 */
#ifndef TK_STATS_THIN_SKETCH_H
#define TK_STATS_THIN_SKETCH_H

#include "table/sketch.h"
#include "table/thin_blocks.h"

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
