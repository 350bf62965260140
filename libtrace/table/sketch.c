/*
 * Sketches, the part that is not inlined, and counters of thin ones.
 */
#include "table/sketch.h"

#include "table/table_in.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Ranges grow by whole steps of this many buckets. */
#define STEP       32u
#define LARGE_STEP 8u /* those of larger counters */

/* The counters follow. */
struct tk_sketch_large {
    uint32_t first, n;
};

void tk_sketch_release(struct tk_sketch *s)
{
    if (s->n) {
        free(s->block->u.wide.more);
        free(s->block->u.wide.most);
        free(s->block);
    }
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

int tk_sketch_cover(struct tk_sketch *s, uint32_t least, uint32_t greatest)
{
    const struct tk_sketch_span now = {s->n ? s->first : 0, s->n},
                                next = tk_sketch_span_with(now, least, greatest, STEP);
    struct tk_sketch_block *b = realloc(s->block, sizeof *b + next.n * sizeof *b->counts);
    if (!b)
        return -1;
    if (!s->block)
        b->u.wide.more = b->u.wide.most = NULL;
    s->block = b;
    tk_sketch_span_shift(b->counts, sizeof *b->counts, now.n, now.n ? now.first - next.first : 0, next.n);
    s->first = (uint16_t)next.first;
    s->n = s->range = (uint16_t)next.n;
    return 0;
}

/* The counter of a bucket among larger ones of `size` bytes, made where there is none; NULL if out of
 * memory. */
static void *large_of(struct tk_sketch_large **large, size_t size, uint32_t bucket)
{
    struct tk_sketch_large *l = *large;
    const struct tk_sketch_span now = {l ? l->first : 0, l ? l->n : 0};
    if (bucket - now.first >= now.n) {
        const struct tk_sketch_span next = tk_sketch_span_with(now, bucket, bucket, LARGE_STEP);
        l = realloc(l, sizeof *l + next.n * size);
        if (!l)
            return NULL;
        *large = l;
        tk_sketch_span_shift(l + 1, size, now.n, now.n ? now.first - next.first : 0, next.n);
        *l = (struct tk_sketch_large){next.first, next.n};
    }
    return (char *)(l + 1) + (bucket - l->first) * size;
}

/* Adds n to a counter that cannot hold as many. */
static int tk_sketch_spill(struct tk_sketch *s, uint32_t at, uint64_t n)
{
    struct tk_sketch_block *b = s->block;
    uint16_t *more = large_of(&b->u.wide.more, sizeof *more, s->first + at);
    if (!more)
        return -1;
    const uint64_t sum = n + b->counts[at] + *more;
    uint64_t *most = sum > UINT16_MAX ? large_of(&b->u.wide.most, sizeof *most, s->first + at) : NULL;
    if (sum > UINT16_MAX && !most)
        return -1;
    if (most)
        *most += sum;
    *more = (uint16_t)(most ? 0 : sum);
    b->counts[at] = 0;
    return 0;
}

int tk_sketch_add_far(struct tk_sketch *s, uint32_t bucket, uint64_t n)
{
    uint32_t at = bucket - s->first;
    if (!n)
        return 0;
    if (at >= s->n) {
        if (tk_sketch_cover(s, bucket, bucket))
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
        return s->thin ? tk_thin_counts_at(s, bucket) : 0;
    const struct tk_sketch_block *b = s->block;
    uint64_t n = b->counts[at];
    if (b->u.wide.more && bucket - b->u.wide.more->first < b->u.wide.more->n)
        n += ((const uint16_t *)(b->u.wide.more + 1))[bucket - b->u.wide.more->first];
    if (b->u.wide.most && bucket - b->u.wide.most->first < b->u.wide.most->n)
        n += ((const uint64_t *)(b->u.wide.most + 1))[bucket - b->u.wide.most->first];
    return n;
}

int tk_sketch_merge(struct tk_sketch *into, const struct tk_sketch *from)
{
    for (uint32_t i = 0; i < from->range; i++)
        if (tk_sketch_add_n(into, from->first + i, tk_sketch_count_at(from, from->first + i)))
            return -1;
    return 0;
}

uint64_t tk_sketch_count(const struct tk_sketch *s)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < s->range; i++)
        n += tk_sketch_count_at(s, s->first + i);
    return n;
}

/* Most sketches have few values far between, and none that a byte does not hold: counters before the rank are
 * passed by eight. */
static uint32_t pass_over(const struct tk_sketch *s, uint64_t rank, uint64_t *seen)
{
    const struct tk_sketch_block *b = s->block;
    uint32_t i = 0;
    for (; b && !b->u.wide.more && !b->u.wide.most && i + 8 <= s->n; i += 8) {
        const uint64_t sum = tk_sketch_sum_of_bytes(tk_sketch_eight(b->counts + i));
        if (*seen + sum >= rank)
            break;
        *seen += sum;
    }
    return i;
}

uint64_t tk_sketch_ranked(const struct tk_sketch *s, uint64_t rank)
{
    uint64_t seen = 0;
    uint32_t i = s->thin ? tk_thin_counts_ranked(s, rank) : pass_over(s, rank, &seen);
    for (; i < s->n; i++) {
        seen += tk_sketch_count_at(s, s->first + i);
        if (seen >= rank)
            break;
    }
    return i < s->range ? tk_sketch_value(s->bits, s->first + i) : 0;
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
    for (uint32_t i = 0; i < s->range; i++) {
        uint64_t count = tk_sketch_count_at(s, s->first + i);
        if (count > most) {
            most = count;
            mode = s->first + i;
        }
    }
    return most ? tk_sketch_value(s->bits, mode) : 0;
}

/* ---- counters of thin sketches ---- */

#define SUMMED 16u /* counters in eight bytes */

uint32_t tk_thin_counts_place(const struct tk_sketch *s, uint32_t bucket)
{
    const uint16_t *full = tk_thin_counts_full(s);
    uint32_t i = 0;
    while (i < s->block->u.thin.n_full && full[i] < bucket)
        i++;
    return i;
}

uint64_t tk_thin_counts_at(const struct tk_sketch *s, uint32_t bucket)
{
    if (bucket - s->first >= s->range)
        return 0;
    uint64_t n = tk_thin_counts_half(s, bucket - s->first);
    for (uint32_t i = tk_thin_counts_place(s, bucket);
         i < s->block->u.thin.n_full && tk_thin_counts_full(s)[i] == bucket; i++)
        n += TK_THIN_FULL;
    return n;
}

uint32_t tk_thin_counts_ranked(const struct tk_sketch *s, uint64_t rank)
{
    const uint16_t *full = tk_thin_counts_full(s), *end = full + s->block->u.thin.n_full;
    uint64_t seen = 0;
    uint32_t i = 0;
    for (; i < s->range; i += SUMMED) {
        const uint16_t *next = full;
        uint64_t sum = seen + tk_sketch_sum_of_halves(tk_sketch_eight(s->block->counts + i / 2));
        for (; next < end && *next < s->first + i + SUMMED; next++)
            sum += TK_THIN_FULL;
        if (sum >= rank)
            break;
        seen = sum;
        full = next;
    }
    for (; i < s->range; i++) {
        seen += tk_thin_counts_half(s, i);
        for (; full < end && *full == s->first + i; full++)
            seen += TK_THIN_FULL;
        if (seen >= rank)
            break;
    }
    return i;
}
