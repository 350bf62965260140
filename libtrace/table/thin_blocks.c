/*
 * Blocks without holes between them. See thin_blocks.h.
 */
#include "table/thin_blocks.h"

#include "base/bits.h"

#include <string.h>

#define CHUNK 4096u

/* Where a block is: the chunk, and its number there. */
struct place {
    uint32_t chunk, at;
    uint32_t room; /* blocks that the chunk holds */
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
        char *chunk = malloc(p.room * size);
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
