/*
 * Thin sketches.
 */
#include "base/bits.h"
#include "table/sketch.h"
#include "table/table_in.h"

#include <stdbool.h>
#include <string.h>

/*
 * Blocks without holes between them.
 */

#define CHUNK 4096u

/* Where a block is: the chunk, and its number there. */
struct place {
    uint32_t chunk, at;
    uint32_t capacity; /* blocks that the chunk holds */
};

static unsigned log_of(uint32_t n)
{
    return 63 - tk_zeros_above(n);
}

static struct place place_of(uint32_t i, size_t size)
{
    const uint32_t full = (uint32_t)(CHUNK / size), small = log_of(full); /* so many chunks hold less */
    if (i + 1 < UINT32_C(1) << small) {
        const uint32_t chunk = log_of(i + 1);
        return (struct place){chunk, i + 1 - (UINT32_C(1) << chunk), UINT32_C(1) << chunk};
    }
    const uint32_t rest = i + 1 - (UINT32_C(1) << small);
    return (struct place){small + rest / full, rest % full, full};
}

static size_t steps_of(size_t size)
{
    return (size + TK_THIN_STEP - 1) / TK_THIN_STEP;
}

static char *block_at(const struct tk_thin_size *s, size_t size, uint32_t i)
{
    const struct place p = place_of(i, size);
    return s->chunks.v[p.chunk] + p.at * size;
}

/* One more block of so many steps; NULL if out of memory. */
static char *take_block(struct tk_thin_blocks *b, size_t steps)
{
    const size_t size = steps * TK_THIN_STEP;
    if (tk_vec_reach(&b->sizes, steps))
        return NULL;
    struct tk_thin_size *s = &b->sizes.v[steps - 1];
    const struct place p = place_of(s->n, size);
    if (p.chunk >= s->chunks.n) {
        char *chunk = malloc(p.capacity * size);
        if (!chunk || tk_vec_push(&s->chunks, chunk)) {
            free(chunk);
            return NULL;
        }
    }
    return block_at(s, size, s->n++);
}

/* Writes a block's address to the only pointer to it, which the block begins with. */
static void point_to(char *block)
{
    void *ref;
    memcpy(&ref, block, sizeof ref);
    memcpy(ref, &block, sizeof block);
}

/* The last block of its size takes its place. */
static void give_block(struct tk_thin_blocks *b, size_t steps, char *block)
{
    const size_t size = steps * TK_THIN_STEP;
    struct tk_thin_size *s = &b->sizes.v[steps - 1];
    const struct place p = place_of(--s->n, size);
    char *last = block_at(s, size, s->n);
    if (last != block) {
        memcpy(block, last, size);
        point_to(block);
    }
    if (p.at == 0)
        free(s->chunks.v[--s->chunks.n]);
}

int tk_thin_blocks_resize(struct tk_thin_blocks *b, void *ref, size_t from, size_t to)
{
    const size_t before = steps_of(from), after = steps_of(to);
    char *old, *fresh = NULL;
    memcpy(&old, ref, sizeof old);
    if (before == after)
        return 0;
    if (after) {
        fresh = take_block(b, after);
        if (!fresh)
            return -1;
        memcpy(fresh, old ? old : fresh, (before && before < after ? before : after) * TK_THIN_STEP);
        memcpy(fresh, &ref, sizeof ref);
    }
    memcpy(ref, &fresh, sizeof fresh);
    if (before)
        give_block(b, before, old);
    return 0;
}

void tk_thin_blocks_release(struct tk_thin_blocks *b)
{
    for (size_t i = 0; i < b->sizes.n; i++) {
        for (size_t k = 0; k < b->sizes.v[i].chunks.n; k++)
            free(b->sizes.v[i].chunks.v[k]);
        tk_vec_release(&b->sizes.v[i].chunks);
    }
    tk_vec_release(&b->sizes);
}

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
    const uint32_t at = bucket - s->first, capacity = s->range / OFTEN - s->block->u.thin.n_full;
    if (n / TK_THIN_FULL > capacity || (tk_thin_counts_half(s, at) + n) / TK_THIN_FULL > capacity)
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
