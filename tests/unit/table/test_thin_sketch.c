/*
 * Thin sketches against arrays of counts, many of them in the same blocks.
 */
#include "run.h"
#include "table/sketch.h"

#include <stdbool.h>
#include <string.h>

enum { SKETCHES = 40, BUCKETS = 2600 };

static uint64_t state = 9;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 20;
}

static struct tk_sketch sketches[SKETCHES];
static uint64_t truth[SKETCHES][BUCKETS];

static void begin(unsigned bits)
{
    memset(truth, 0, sizeof truth);
    for (unsigned i = 0; i < SKETCHES; i++)
        tk_sketch_init(&sketches[i], bits);
}

/* The least bucket with so many values up to it: by adding up. */
static uint32_t bucket_of_rank(const uint64_t *counts, uint64_t rank)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        seen += counts[i];
        if (seen >= rank)
            return i;
    }
    return BUCKETS;
}

static void check(const struct tk_sketch *s, const uint64_t *counts)
{
    uint64_t all = 0, most = 0;
    uint32_t mode = 0;
    for (uint32_t i = 0; i < BUCKETS; i++) {
        must(tk_sketch_count_at(s, i) == counts[i]);
        all += counts[i];
        mode = counts[i] > most ? i : mode;
        most = counts[i] > most ? counts[i] : most;
    }
    must(tk_sketch_count(s) == all);
    must(tk_sketch_mode(s) == (all ? tk_sketch_value(s->bits, mode) : 0));
    for (uint64_t i = 0; all && i <= 64; i++) {
        const uint64_t rank = 1 + (all - 1) * i / 64;
        must(tk_sketch_ranked(s, rank) == tk_sketch_value(s->bits, bucket_of_rank(counts, rank)));
    }
    must(tk_sketch_ranked(s, all + 1) == 0);
}

static void release(struct tk_thin_blocks *blocks)
{
    for (unsigned i = 0; i < SKETCHES; i++)
        tk_sketch_release(&sketches[i]);
    tk_thin_blocks_release(blocks);
}

/* One value at a time, in ranges of every length, with buckets that are met often and seldom; some sketches
 * get few values, some many. */
START_TEST(counts_are_those_of_an_array)
{
    struct tk_thin_blocks blocks = {0};
    unsigned thin = 0, wide = 0;
    begin(TK_SKETCH_CALLS);
    for (unsigned i = 0; i < 300000; i++) {
        const uint64_t which = draw() % SKETCHES % (1 + draw() % SKETCHES);
        const uint64_t range = 1 + which * which * BUCKETS / SKETCHES / SKETCHES;
        uint32_t bucket = (uint32_t)(draw() % 3 ? draw() % range : (draw() % range + draw() % range) / 2);
        truth[which][bucket]++;
        must(tk_thin_sketch_add(&sketches[which], &blocks, TK_SKETCH_CALLS,
                                tk_sketch_value(TK_SKETCH_CALLS, bucket)) == 0);
        if (i % 30000 == 0)
            check(&sketches[which], truth[which]);
    }
    for (unsigned i = 0; i < SKETCHES; i++) {
        check(&sketches[i], truth[i]);
        thin += sketches[i].thin;
        wide += sketches[i].n != 0;
    }
    ck_assert_uint_gt(thin, 3); /* both kinds were met */
    ck_assert_uint_gt(wide, 3);
    release(&blocks);
}
END_TEST

/* Numbers around those at which half a byte, the list and the sketch are full. */
START_TEST(borders)
{
    struct tk_thin_blocks blocks = {0};
    begin(TK_SKETCH_FRAMES);
    for (uint32_t n = 0; n < SKETCHES; n++)
        for (unsigned times = 0; times < 4; times++) {
            const uint32_t bucket = 70 + 61 * times;
            const uint64_t number = (uint64_t)n * (times == 3 ? UINT64_C(1) << 33 : 2) + times;
            truth[n][bucket] += number;
            must(tk_thin_sketch_add_n(&sketches[n], &blocks, bucket, number) == 0);
            check(&sketches[n], truth[n]);
        }
    release(&blocks);
}
END_TEST

/* Thin ones added to each other, to empty ones and to wide ones, also within the same blocks. */
START_TEST(merged)
{
    struct tk_thin_blocks blocks = {0};
    struct tk_sketch plain;
    begin(TK_SKETCH_CALLS);
    tk_sketch_init(&plain, TK_SKETCH_CALLS);
    for (unsigned i = 1; i < SKETCHES; i++) {
        for (unsigned k = 0; k < i * 20; k++) {
            const uint32_t bucket = (uint32_t)(draw() % (i % 4 ? 200 : BUCKETS));
            truth[i][bucket]++;
            truth[0][bucket]++;
            must(tk_thin_sketch_add_n(&sketches[i], &blocks, bucket, 1) == 0);
        }
        must(tk_sketch_merge(&plain, &sketches[i]) == 0);
        must(tk_thin_sketch_merge(&sketches[0], &blocks, &sketches[i]) == 0);
        check(&sketches[0], truth[0]);
    }
    check(&plain, truth[0]);
    for (unsigned i = 1; i < SKETCHES; i++)
        check(&sketches[i], truth[i]);
    tk_sketch_release(&plain);
    release(&blocks);
}
END_TEST

enum { BLOCKS = 300 };

/* What a block should hold behind the address that it begins with. */
struct held {
    unsigned char *block;
    size_t size;
    unsigned char truth[TK_THIN_MOST];
};

static struct held held[BLOCKS];

static bool is_right(const struct held *h)
{
    const size_t head = sizeof(void *);
    void *self;
    if (!h->size)
        return !h->block;
    memcpy(&self, h->block, head);
    return self == (const void *)&h->block && memcmp(h->block + head, h->truth + head, h->size - head) == 0;
}

static void resize(struct tk_thin_blocks *b, struct held *h, size_t to)
{
    must(tk_thin_blocks_resize(b, &h->block, h->size, to) == 0);
    for (size_t i = h->size; i < to; i++)
        h->truth[i] = (unsigned char)draw();
    const size_t from = h->size > sizeof(void *) ? h->size : sizeof(void *);
    if (to > from)
        memcpy(h->block + from, h->truth + from, to - from);
    h->size = to;
}

/* Blocks of any size that grow, shrink, come and go keep what they hold, wherever they move. */
START_TEST(blocks_keep_what_they_hold)
{
    struct tk_thin_blocks b = {0};
    memset(held, 0, sizeof held);
    for (unsigned i = 0; i < 40000; i++) {
        const unsigned kind = (unsigned)(draw() % 16);
        const size_t least = sizeof(void *) + 1;
        resize(&b, &held[draw() % BLOCKS],
               kind == 0 ? 0 : least + (size_t)draw() % (TK_THIN_MOST + 1 - least));
        if (i % 97 == 0)
            for (unsigned k = 0; k < BLOCKS; k++)
                must(is_right(&held[k]));
    }
    for (unsigned k = 0; k < BLOCKS; k++)
        must(is_right(&held[k]));
    tk_thin_blocks_release(&b);
}
END_TEST

/* Blocks that grew take a place of their own size alone: those below have none left. */
START_TEST(there_are_no_holes)
{
    struct tk_thin_blocks b = {0};
    memset(held, 0, sizeof held);
    for (size_t size = TK_THIN_STEP; size <= TK_THIN_MOST; size += TK_THIN_STEP)
        for (unsigned k = 0; k < BLOCKS; k++)
            resize(&b, &held[(k * 7) % BLOCKS], size);
    for (size_t i = 0; i < b.sizes.n; i++)
        ck_assert_uint_eq(b.sizes.v[i].chunks.n != 0, i + 1 == TK_THIN_MOST / TK_THIN_STEP);
    for (unsigned k = 0; k < BLOCKS; k++) {
        must(is_right(&held[k]));
        resize(&b, &held[k], 0);
    }
    for (size_t i = 0; i < b.sizes.n; i++)
        ck_assert_uint_eq(b.sizes.v[i].chunks.n, 0);
    tk_thin_blocks_release(&b);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {counts_are_those_of_an_array, borders, merged, blocks_keep_what_they_hold,
                                  there_are_no_holes};
    return RUN_TESTS("thin_sketch", tests);
}
