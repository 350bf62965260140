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

/* The seven bits of each of eight bytes, of a number in the lowest ones. */
static inline uint64_t tk_block_unpack(uint64_t v)
{
    v &= UINT64_C(0x7f7f7f7f7f7f7f7f);
    v = (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (v & UINT64_C(0x0fffffff)) | (v & UINT64_C(0x0fffffff00000000)) >> 4;
}

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
    c->p += (last + 1) / 8;
    return tk_block_unpack(word & (UINT64_MAX >> (63 - last)));
}

static inline double tk_block_of_number(uint64_t v)
{
    return (double)(int64_t)(v >> 1 ^ (UINT64_C(0) - (v & 1)));
}

/* Packed blocks that are added up. */
struct tk_block_sums {
    uint64_t at, n;
    uint64_t zeros; /* 1: the number to come is how many more zeros there are; else 0 */
    double sum;
};

/* One in three blocks has nothing and nobody knows which, so that there is no branch on it. */
static inline void tk_block_sums_take(struct tk_block_sums *s, uint64_t number, double *sums)
{
    const uint64_t left = s->n - s->at, skip = number < left ? number : left;
    const double v = tk_block_of_number(number & (s->zeros - 1));
    s->sum += v;
    if (sums)
        sums[s->at] += v;
    s->at += (skip & (UINT64_C(0) - s->zeros)) + (s->zeros ^ 1);
    s->zeros = (s->zeros ^ 1) & (number == 0);
}

static inline bool tk_block_sums_goes_on(const struct tk_block_sums *s)
{
    return ((s->at < s->n) | s->zeros) != 0;
}

/* Reads n packed blocks, adds each to what stands in `sums` (NULL, or space for n + 1), and says their sum.
 * Two numbers are read at once, as long as the second begins within eight bytes. */
static inline double tk_block_read(struct tk_cur *cur, uint64_t n, double *sums)
{
    struct tk_block_sums s = {.n = n};
    struct tk_cur c = *cur;
    while (tk_block_sums_goes_on(&s) && tk_cur_ok(&c)) {
        const uint64_t word = c.end - c.p < 8 ? UINT64_MAX : tk_load64(c.p);
        const uint64_t ends = ~word & UINT64_C(0x8080808080808080), later = ends & (ends - 1);
        if (tk_rarely(!later)) {
            tk_block_sums_take(&s, tk_varint(&c, "blocks"), sums);
            continue;
        }
        const unsigned first = tk_zeros_below(ends) + 1, both = tk_zeros_below(later) + 1; /* bits */
        const uint64_t a = word & (UINT64_MAX >> (64 - first)),
                       b = word << (64 - both) >> (64 - both) >> first;
        const bool small = !((a | b) >> 16);
        tk_block_sums_take(&s, small ? (a & 0x7f) | (a & 0x7f00) >> 1 : tk_block_unpack(a), sums);
        const bool more = tk_block_sums_goes_on(&s);
        if (more)
            tk_block_sums_take(&s, small ? (b & 0x7f) | (b & 0x7f00) >> 1 : tk_block_unpack(b), sums);
        c.p += (more ? both : first) / 8;
    }
    *cur = c;
    return s.sum;
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
    return tk_block_of_number(v);
}

/* Adds what n blocks have to `sums`, with space for n + 1: the same as a walk, and faster. */
static inline void tk_block_add(const struct tk_series *s, size_t n, double *sums)
{
    struct tk_block_walk w = tk_block_walk_of(s);
    for (size_t b = 0; s->blocks && b < n; b++)
        sums[b] += s->blocks[b];
    if (s->packed_blocks)
        tk_block_read(&w.c, n, sums);
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

/*
 * The lengths of the calls of a series, in order, in whatever form the series has them: one by one, as a
 * sketch, or as the bytes of one in a file, which most comparisons never look into.
 */

/* Buckets of TK_SKETCH_CALLS that are not empty, in ascending order. */
struct tk_call_walk {
    const struct tk_series *series;
    struct tk_cur c; /* of packed bytes */
    uint64_t bucket; /* of a packed sketch: the next one without a gap */
    uint64_t left;   /* of a packed sketch: buckets */
    uint64_t at;     /* of others: the next bucket, or call */
    uint64_t length; /* of packed calls: of the next one */
};

/* Is anything known of single calls? */
static inline bool tk_series_says_calls(const struct tk_series *s)
{
    return s->exact || s->sketch.n || s->packed;
}

/* Are the calls kept one by one? Else their lengths are those of a sketch. */
static inline bool tk_series_is_exact(const struct tk_series *s)
{
    return s->exact || (s->packed && s->count <= TK_SERIES_EXACT);
}

/* The calls that are kept one by one, ascending: of the series, or unpacked into `space`. */
const uint64_t *tk_series_exact(const struct tk_series *s, uint64_t buffer[TK_SERIES_EXACT]);

/* Begins; the series is borrowed. */
struct tk_call_walk tk_call_walk_of(const struct tk_series *s);

/* The next bucket, and how many calls are in it; false at the end. */
bool tk_call_walk_next(struct tk_call_walk *w, uint32_t *bucket, uint64_t *n);

/* How many calls are in buckets; the length of the one of a rank, from 1 on: the middle of its bucket, 0 when
 * there are fewer. */
uint64_t tk_series_calls(const struct tk_series *s);
uint64_t tk_series_call_ranked(const struct tk_series *s, uint64_t rank);

/* The next bucket of a sketch as it is in files (baseline_file.h): *bucket is where the gap begins, and
 * becomes the bucket. Faults of the cursor are those of the bytes. The number of calls in it. */
static inline uint64_t tk_sketch_read_bucket(struct tk_cur *c, uint64_t *bucket)
{
    const uint64_t token = tk_varint(c, "a sketch");
    uint64_t n = (token & 3) + 1;
    n += n == 4 ? tk_varint(c, "a sketch") : 0;
    *bucket += token >> 2;
    return n;
}

#endif
