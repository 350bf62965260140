/*
 * Thin sketches. See thin_sketch.h.
 */
#include "table/thin_sketch.h"

#include "table/sketch_span.h"
#include "table/thin_counts.h"

#include <stdbool.h>
#include <string.h>

#define STEP  64u /* buckets by which the range grows */
#define OFTEN 16u /* buckets for each place in the list */

static size_t size_of(uint32_t buckets, uint32_t n_full)
{
    return buckets ? offsetof(struct tk_sketch_block, counts) + buckets / 2 + n_full * sizeof(uint16_t) : 0;
}

static size_t size_of_sketch(const struct tk_sketch *s)
{
    return size_of(s->thin ? s->range : 0, s->thin ? s->block->u.thin.n_full : 0);
}

static void set_half(struct tk_sketch *s, uint32_t at, uint32_t n)
{
    uint8_t *c = &s->block->counts[at / 2];
    *c = (uint8_t)((*c & ~(TK_THIN_HALF << at % 2 * 4)) | n << at % 2 * 4);
}

/* Makes it one of bytes. */
static int widen(struct tk_sketch *s, struct tk_thin_blocks *blocks)
{
    struct tk_sketch wide;
    tk_sketch_init(&wide, s->bits);
    if (tk_sketch_cover(&wide, s->first, s->first + s->range - 1u) || tk_sketch_merge(&wide, s)) {
        tk_sketch_release(&wide);
        return -1;
    }
    tk_thin_blocks_resize(blocks, &s->block, size_of_sketch(s), 0);
    *s = wide;
    return 0;
}

/* Widens the range to hold a bucket. 1 if it cannot be so long. */
static int reach(struct tk_sketch *s, struct tk_thin_blocks *blocks, uint32_t bucket)
{
    const struct tk_sketch_span now = {s->thin ? s->first : 0, s->range},
                                next = tk_sketch_span_with(now, bucket, bucket, STEP);
    const uint32_t n_full = s->thin ? s->block->u.thin.n_full : 0,
                   before = now.n ? (now.first - next.first) / 2 : 0;
    if (size_of(next.n, next.n / OFTEN) > TK_THIN_MOST)
        return 1;
    if (tk_thin_blocks_resize(blocks, &s->block, size_of(now.n, n_full), size_of(next.n, n_full)))
        return -1;
    struct tk_sketch_block *b = s->block;
    b->u.thin.n_full = (uint16_t)n_full;
    memmove(b->counts + next.n / 2, b->counts + now.n / 2, n_full * sizeof(uint16_t));
    tk_sketch_span_shift(b->counts, 1, now.n / 2, before, next.n / 2);
    s->first = (uint16_t)next.first;
    s->range = (uint16_t)next.n;
    s->thin = 1;
    return 0;
}

/* Adds to the list. */
static int put_full(struct tk_sketch *s, struct tk_thin_blocks *blocks, uint32_t bucket, uint32_t times)
{
    const uint32_t n = s->block->u.thin.n_full, at = tk_thin_counts_place(s, bucket);
    if (tk_thin_blocks_resize(blocks, &s->block, size_of(s->range, n), size_of(s->range, n + times)))
        return -1;
    uint16_t *full = tk_thin_counts_full(s);
    memmove(full + at + times, full + at, (n - at) * sizeof *full);
    for (uint32_t i = 0; i < times; i++)
        full[at + i] = (uint16_t)bucket;
    s->block->u.thin.n_full = (uint16_t)(n + times);
    return 0;
}

/* Adds to a thin sketch. 1 if it has to be widened before. */
static int add_thin(struct tk_sketch *s, struct tk_thin_blocks *blocks, uint32_t bucket, uint64_t n)
{
    if (bucket - s->first >= s->range) {
        int rc = reach(s, blocks, bucket);
        if (rc)
            return rc;
    }
    const uint32_t at = bucket - s->first, room = s->range / OFTEN - s->block->u.thin.n_full;
    if (n / TK_THIN_FULL > room || (tk_thin_counts_half(s, at) + n) / TK_THIN_FULL > room)
        return 1;
    const uint32_t sum = tk_thin_counts_half(s, at) + (uint32_t)n;
    if (sum > TK_THIN_HALF && put_full(s, blocks, bucket, sum / TK_THIN_FULL))
        return -1;
    set_half(s, at, sum % TK_THIN_FULL);
    return 0;
}

int tk_thin_sketch_add_n(struct tk_sketch *s, struct tk_thin_blocks *blocks, uint32_t bucket, uint64_t n)
{
    if (!n)
        return 0;
    int rc = s->n ? 1 : add_thin(s, blocks, bucket, n);
    if (rc > 0 && s->thin && widen(s, blocks))
        return -1;
    return rc > 0 ? tk_sketch_add_n(s, bucket, n) : rc;
}

int tk_thin_sketch_merge(struct tk_sketch *into, struct tk_thin_blocks *blocks, const struct tk_sketch *from)
{
    for (uint32_t i = 0; i < from->range; i++)
        if (tk_thin_sketch_add_n(into, blocks, from->first + i, tk_sketch_count_at(from, from->first + i)))
            return -1;
    return 0;
}
