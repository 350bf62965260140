/*
 * Walks over what a series has in each block of its run, packed as in files or not, and what all have
 * together. Comparisons, budgets and the writer of files read blocks of timers here; baseline_read_series.c
 * packs them.
 */
#ifndef TK_COMPARE_BASELINE_BLOCK_WALK_H
#define TK_COMPARE_BASELINE_BLOCK_WALK_H

#include "base/bits.h"
#include "base/cursor.h"
#include "compare/baseline/baseline.h"

/* From the first block on. */
struct tk_block_walk {
    const double *blocks; /* NULL: packed */
    struct tk_cur c;
    uint64_t zeros; /* blocks to come without anything */
};

/* The same as tk_varint; numbers of up to eight bytes are read at once, since lengths of neighbours differ:
 * blocks are most of a file. */
static inline uint64_t tk_block_walk_number(struct tk_cur *c)
{
    if (c->end - c->p < 8)
        return tk_varint(c, "blocks");
    const uint64_t word = tk_load64(c->p), ends = ~word & UINT64_C(0x8080808080808080);
    if (!ends)
        return tk_varint(c, "blocks");
    const unsigned last = tk_zeros_below(ends); /* bit of the number's end */
    uint64_t v = word & (UINT64_MAX >> (63 - last)) & UINT64_C(0x7f7f7f7f7f7f7f7f);
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    c->p += (last + 1) / 8;
    return (v & UINT64_C(0x0fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
}

static inline struct tk_block_walk tk_block_walk_of(const struct tk_series *s)
{
    struct tk_block_walk w = {.blocks = s->blocks};
    if (s->packed_blocks)
        w.c = tk_cur_of(s->packed_blocks, s->packed_blocks_size);
    else if (!s->blocks)
        w.zeros = UINT64_MAX;
    return w;
}

/* What the next block has; the caller counts them. Packed ones are cycles of timers, with signs. */
static inline double tk_block_walk_next(struct tk_block_walk *w)
{
    if (w->blocks)
        return *w->blocks++;
    if (w->zeros) {
        w->zeros--;
        return 0;
    }
    const uint64_t v = tk_block_walk_number(&w->c);
    if (!v)
        w->zeros = tk_block_walk_number(&w->c);
    return (double)(int64_t)(v >> 1 ^ (UINT64_C(0) - (v & 1)));
}

/* Adds what n blocks have to `sums`: the same as a walk, and faster. */
static inline void tk_block_add(const struct tk_series *s, size_t n, double *sums)
{
    struct tk_block_walk w = tk_block_walk_of(s);
    for (size_t b = 0; s->blocks && b < n; b++)
        sums[b] += s->blocks[b];
    for (uint64_t b = 0; s->packed_blocks && b < n; b++) {
        const uint64_t v = tk_block_walk_number(&w.c), left = n - b;
        const uint64_t zeros = v ? 0 : tk_block_walk_number(&w.c);
        sums[b] += (double)(int64_t)(v >> 1 ^ (UINT64_C(0) - (v & 1)));
        b += zeros < left ? zeros : left;
    }
}

/* From a block on. */
static inline struct tk_block_walk tk_block_walk_from(const struct tk_series *s, size_t block)
{
    struct tk_block_walk w = tk_block_walk_of(s);
    for (size_t b = 0; b < block; b++)
        tk_block_walk_next(&w);
    return w;
}

/* What the blocks from `block` on have together, of the n of the run. */
static inline double tk_block_sum(const struct tk_series *s, size_t block, size_t n)
{
    if (!s->blocks && !block)
        return s->packed_sum;
    struct tk_block_walk w = tk_block_walk_from(s, block);
    double sum = 0;
    for (size_t b = block; b < n; b++)
        sum += tk_block_walk_next(&w);
    return sum;
}

#endif
