/*
 * Thin blocks against copies of what was written to them.
 */
#include "run.h"
#include "table/sketch.h"

#include <stdbool.h>
#include <string.h>

enum { BLOCKS = 300 };

static uint64_t state = 5;

static uint64_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state >> 20;
}

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
    const TTest *const tests[] = {blocks_keep_what_they_hold, there_are_no_holes};
    return RUN_TESTS("thin_blocks", tests);
}
