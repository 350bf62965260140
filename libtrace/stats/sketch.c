/*
 * Sketches: the part that is not inlined. See sketch.h.
 */
#include "stats/sketch.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Ranges grow by whole steps of this many buckets. */
#define STEP 32u

void tk_sketch_release(struct tk_sketch *s)
{
    if (s->block) {
        free(s->block->more);
        free(s->block->most);
    }
    free(s->block);
    tk_sketch_init(s, s->bits);
}

uint64_t tk_sketch_value(unsigned bits, uint32_t bucket)
{
    if (bucket >> bits < 2)
        return bucket;
    unsigned shift = (bucket >> bits) - 1;
    uint64_t low = (uint64_t)(bucket - (shift << bits)) << shift;
    return low + (((UINT64_C(1) << shift) - 1) >> 1);
}

/* Makes n elements of an array the ones from `before` on of `all` elements. */
static void tk_sketch_shift(void *v, size_t size, uint32_t n, uint32_t before, uint32_t all)
{
    char *p = v;
    memmove(p + before * size, p, n * size);
    memset(p, 0, before * size);
    memset(p + (before + n) * size, 0, (all - before - n) * size);
}

/* Makes room for `all` buckets; what is there stays. */
static int tk_sketch_resize(struct tk_sketch *s, uint32_t all)
{
    struct tk_sketch_block *block = realloc(s->block, sizeof *block + all * sizeof *block->counts);
    if (!block)
        return -1;
    if (!s->block)
        *block = (struct tk_sketch_block){0};
    s->block = block;
    uint16_t *more = block->more ? realloc(block->more, all * sizeof *more) : NULL;
    uint64_t *most = block->most ? realloc(block->most, all * sizeof *most) : NULL;
    bool lacks = (block->more && !more) || (block->most && !most);
    block->more = more ? more : block->more;
    block->most = most ? most : block->most;
    return lacks ? -1 : 0;
}

/* Widens the range to hold all from one bucket to another. */
static int tk_sketch_reach(struct tk_sketch *s, uint32_t least, uint32_t greatest)
{
    uint32_t low = least / STEP * STEP, high = greatest / STEP * STEP + STEP;
    const uint32_t first = s->n ? s->first : low;
    low = low < first ? low : first;
    high = high > first + s->n ? high : first + s->n;
    if (tk_sketch_resize(s, high - low))
        return -1;
    struct tk_sketch_block *b = s->block;
    tk_sketch_shift(b->counts, sizeof *b->counts, s->n, first - low, high - low);
    if (b->more)
        tk_sketch_shift(b->more, sizeof *b->more, s->n, first - low, high - low);
    if (b->most)
        tk_sketch_shift(b->most, sizeof *b->most, s->n, first - low, high - low);
    s->first = (uint16_t)low;
    s->n = (uint16_t)(high - low);
    return 0;
}

int tk_sketch_cover(struct tk_sketch *s, uint64_t least, uint64_t greatest)
{
    return tk_sketch_reach(s, tk_sketch_bucket(s->bits, least), tk_sketch_bucket(s->bits, greatest));
}

/* Adds n to a counter that cannot hold as many. */
static int tk_sketch_spill(struct tk_sketch *s, uint32_t at, uint64_t n)
{
    struct tk_sketch_block *b = s->block;
    if (!b->more && !(b->more = calloc(s->n, sizeof *b->more)))
        return -1;
    uint64_t sum = n + b->counts[at] + b->more[at];
    if (sum > UINT16_MAX && !b->most && !(b->most = calloc(s->n, sizeof *b->most)))
        return -1;
    if (sum > UINT16_MAX)
        b->most[at] += sum;
    b->more[at] = (uint16_t)(sum > UINT16_MAX ? 0 : sum);
    b->counts[at] = 0;
    return 0;
}

int tk_sketch_add_far(struct tk_sketch *s, uint32_t bucket, uint64_t n)
{
    uint32_t at = bucket - s->first;
    if (!n)
        return 0;
    if (at >= s->n) {
        if (tk_sketch_reach(s, bucket, bucket))
            return -1;
        at = bucket - s->first;
    }
    if (n > (uint64_t)UINT8_MAX - s->block->counts[at])
        return tk_sketch_spill(s, at, n);
    s->block->counts[at] = (uint8_t)(s->block->counts[at] + n);
    return 0;
}

uint64_t tk_sketch_count_at(const struct tk_sketch *s, uint32_t bucket)
{
    uint32_t at = bucket - s->first;
    if (at >= s->n)
        return 0;
    const struct tk_sketch_block *b = s->block;
    uint64_t n = b->counts[at];
    n += b->more ? b->more[at] : 0;
    return n + (b->most ? b->most[at] : 0);
}

int tk_sketch_merge(struct tk_sketch *into, const struct tk_sketch *from)
{
    for (uint32_t i = 0; i < from->n; i++)
        if (tk_sketch_add_n(into, from->first + i, tk_sketch_count_at(from, from->first + i)))
            return -1;
    return 0;
}

uint64_t tk_sketch_count(const struct tk_sketch *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        n += tk_sketch_count_at(s, s->first + i);
    return n;
}

/* The sum of eight counters. */
static uint64_t sum_of_eight(const uint8_t *counts)
{
    const uint64_t even = UINT64_C(0x00ff00ff00ff00ff);
    uint64_t x;
    memcpy(&x, counts, sizeof x);
    return ((x & even) + (x >> 8 & even)) * UINT64_C(0x0001000100010001) >> 48;
}

/* Most sketches have few values far between, and none that a byte does not hold: counters before the rank are
 * passed by eight. */
static uint32_t pass_over(const struct tk_sketch *s, uint64_t rank, uint64_t *seen)
{
    const struct tk_sketch_block *b = s->block;
    uint32_t i = 0;
    for (; b && !b->more && !b->most && i + 8 <= s->n; i += 8) {
        const uint64_t sum = sum_of_eight(b->counts + i);
        if (*seen + sum >= rank)
            break;
        *seen += sum;
    }
    return i;
}

uint64_t tk_sketch_ranked(const struct tk_sketch *s, uint64_t rank)
{
    uint64_t seen = 0;
    for (uint32_t i = pass_over(s, rank, &seen); i < s->n; i++) {
        seen += tk_sketch_count_at(s, s->first + i);
        if (seen >= rank)
            return tk_sketch_value(s->bits, s->first + i);
    }
    return 0;
}

uint64_t tk_sketch_rank(uint64_t n, unsigned share, unsigned of)
{
    uint64_t rank = n / of * share + (n % of * share + of - 1) / of;
    return rank ? rank : 1;
}

uint64_t tk_sketch_mode(const struct tk_sketch *s)
{
    uint64_t most = 0;
    uint32_t mode = s->first;
    for (uint32_t i = 0; i < s->n; i++) {
        uint64_t count = tk_sketch_count_at(s, s->first + i);
        if (count > most) {
            most = count;
            mode = s->first + i;
        }
    }
    return most ? tk_sketch_value(s->bits, mode) : 0;
}
