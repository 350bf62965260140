/*
 * The set of what is alive. Blocks lie in chunks that never move; the table holds for each
 * its place and its hash. An entry is removed by moving those behind it up, so that there are no traces of
 * it.
 */
#include "model/memory/live_blocks.h"

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of many blocks chunks are made together, so that they lie in large pages. */
enum { FIRST_SLOTS = 64, FEW_SLOTS = 16384, SINGLE_CHUNKS = 16, TOGETHER = 16 };

static inline struct tk_block *block_of(const struct tk_live_blocks *a, uint32_t place)
{
    return &a->chunks[place / TK_LIVE_BLOCKS_CHUNK][place % TK_LIVE_BLOCKS_CHUNK];
}

static struct tk_block *look_live_blocks(const struct tk_live_blocks *a, uint64_t address, uint32_t hash,
                                         size_t *at)
{
    for (; a->slots[*at].place; *at = (*at + 1) & a->mask) {
        if (a->slots[*at].hash != hash)
            continue;
        struct tk_block *b = block_of(a, a->slots[*at].place - 1);
        if (b->address == address)
            return b;
    }
    return NULL;
}

struct tk_block *tk_live_blocks_first(const struct tk_live_blocks *a, uint64_t address, size_t *at)
{
    uint32_t hash = tk_live_blocks_hash(a, address, 0);
    if (!a->slots)
        return NULL;
    *at = hash & a->mask;
    return look_live_blocks(a, address, hash, at);
}

struct tk_block *tk_live_blocks_next(const struct tk_live_blocks *a, uint64_t address, size_t *at)
{
    *at = (*at + 1) & a->mask;
    return look_live_blocks(a, address, tk_live_blocks_hash(a, address, 0), at);
}

struct tk_block *tk_live_blocks_seek(const struct tk_live_blocks *a, uint64_t address, uint16_t heap,
                                     size_t *at)
{
    const uint32_t hash = tk_live_blocks_hash(a, address, heap);
    *at = hash & a->mask;
    struct tk_block *b = look_live_blocks(a, address, hash, at);
    while (b && b->heap != heap) {
        *at = (*at + 1) & a->mask;
        b = look_live_blocks(a, address, hash, at);
    }
    return b;
}

struct tk_block *tk_live_blocks_find(const struct tk_live_blocks *a, uint64_t address, uint16_t heap)
{
    size_t at;
    return a->slots ? tk_live_blocks_seek(a, address, heap, &at) : NULL;
}

/* ---- changing ---- */

static int rehash(struct tk_live_blocks *a, size_t n)
{
    struct tk_live_blocks_slot *slots = tk_table_memory(n * sizeof *slots);
    if (!slots)
        return -1;
    memset(slots, 0, n * sizeof *slots);
    for (size_t i = 0; a->slots && i <= a->mask; i++) {
        size_t at = a->slots[i].hash & (n - 1);
        if (!a->slots[i].place)
            continue;
        while (slots[at].place)
            at = (at + 1) & (n - 1);
        slots[at] = a->slots[i];
    }
    free(a->slots);
    a->slots = slots;
    a->mask = n - 1;
    a->key = tk_hash_key();
    return 0;
}

/* Is a chunk the first of those that were made together? */
static bool is_first(size_t chunk)
{
    return chunk < SINGLE_CHUNKS || (chunk - SINGLE_CHUNKS) % TOGETHER == 0;
}

static int add_chunks(struct tk_live_blocks *a)
{
    const size_t n = a->n_chunks < SINGLE_CHUNKS ? 1 : TOGETHER;
    if (tk_vec_grow((void **)&a->chunks, &a->cap_chunks, a->n_chunks + n, sizeof(struct tk_block *)))
        return -1;
    struct tk_block *blocks = tk_table_memory(n * TK_LIVE_BLOCKS_CHUNK * sizeof *blocks);
    if (!blocks)
        return -1;
    for (size_t i = 0; i < n; i++)
        a->chunks[a->n_chunks++] = blocks + i * TK_LIVE_BLOCKS_CHUNK;
    return 0;
}

/* A place for a block: one that was freed, or the next. UINT32_MAX if out of memory. */
static uint32_t new_place(struct tk_live_blocks *a)
{
    if (a->free) {
        uint32_t place = a->free - 1;
        a->free = (uint32_t)block_of(a, place)->address;
        return place;
    }
    if (a->n == UINT32_MAX - 1 || (a->n / TK_LIVE_BLOCKS_CHUNK == a->n_chunks && add_chunks(a)))
        return UINT32_MAX;
    return a->n++;
}

int tk_live_blocks_reserve(struct tk_live_blocks *a)
{
    /* At most three slots of four are used; of few one of four, so that most are found where they belong. */
    if (a->slots && a->count < (a->mask < FEW_SLOTS ? a->mask / 4 : a->mask - a->mask / 4))
        return 0;
    return rehash(a, a->slots ? (a->mask + 1) * 2 : FIRST_SLOTS);
}

struct tk_block *tk_live_blocks_put_at(struct tk_live_blocks *a, uint64_t address, uint16_t heap, size_t at)
{
    const uint32_t place = new_place(a);
    if (place == UINT32_MAX)
        return NULL;
    a->slots[at] = (struct tk_live_blocks_slot){tk_live_blocks_hash(a, address, heap), place + 1};
    a->count++;
    struct tk_block *b = block_of(a, place);
    *b = (struct tk_block){.address = address, .heap = heap};
    return b;
}

struct tk_block *tk_live_blocks_put(struct tk_live_blocks *a, uint64_t address, uint16_t heap)
{
    if (tk_live_blocks_reserve(a))
        return NULL;
    size_t at = tk_live_blocks_hash(a, address, heap) & a->mask;
    while (a->slots[at].place)
        at = (at + 1) & a->mask;
    return tk_live_blocks_put_at(a, address, heap, at);
}

static void remove_slot(struct tk_live_blocks *a, size_t at)
{
    for (size_t next = (at + 1) & a->mask; a->slots[next].place; next = (next + 1) & a->mask) {
        size_t home = a->slots[next].hash & a->mask;
        /* What belongs behind the gap stays. */
        if (((next - home) & a->mask) < ((next - at) & a->mask))
            continue;
        a->slots[at] = a->slots[next];
        at = next;
    }
    a->slots[at].place = 0;
}

void tk_live_blocks_take_at(struct tk_live_blocks *a, size_t at)
{
    uint32_t place = a->slots[at].place - 1;
    remove_slot(a, at);
    *block_of(a, place) = (struct tk_block){.address = a->free};
    a->free = place + 1;
    a->count--;
}

void tk_live_blocks_take(struct tk_live_blocks *a, struct tk_block *block)
{
    size_t at = tk_live_blocks_hash(a, block->address, block->heap) & a->mask;
    while (block_of(a, a->slots[at].place - 1) != block)
        at = (at + 1) & a->mask;
    tk_live_blocks_take_at(a, at);
}

void tk_live_blocks_prefetch_block(const struct tk_live_blocks *a, uint64_t address, uint16_t heap)
{
    if (a->mask < TK_LIVE_BLOCKS_NEAR)
        return;
    const uint32_t hash = tk_live_blocks_hash(a, address, heap);
    size_t at = hash & a->mask;
    while (a->slots[at].place && a->slots[at].hash != hash)
        at = (at + 1) & a->mask;
    if (a->slots[at].place)
        tk_prefetch_write(block_of(a, a->slots[at].place - 1));
}

void tk_live_blocks_release(struct tk_live_blocks *a)
{
    for (size_t i = 0; i < a->n_chunks; i++)
        if (is_first(i))
            free(a->chunks[i]);
    free(a->chunks);
    free(a->slots);
    *a = (struct tk_live_blocks){.by_address = a->by_address};
}
