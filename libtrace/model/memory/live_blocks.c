/*
 * The set of what is alive. See live_blocks.h. Blocks lie in chunks that never move; the table holds for each
 * its place and the hash of its address. An entry is removed by moving those behind it up, so that there are
 * no traces of it.
 */
#include "model/memory/live_blocks.h"

#include "base/bits.h"
#include "base/hash/hash.h"
#include "base/vec.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

/* Of the address alone: few have the same in several heaps. */
static inline uint32_t hash_of_live_blocks(const struct tk_live_blocks *a, uint64_t address)
{
    address ^= a->key;
    uint64_t v = (address ^ address >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((v ^ v >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

static inline struct tk_block *block_of(const struct tk_live_blocks *a, uint32_t place)
{
    return &a->chunks[place / TK_LIVE_BLOCKS_CHUNK][place % TK_LIVE_BLOCKS_CHUNK];
}

static struct tk_block *look_live_blocks(const struct tk_live_blocks *a, uint64_t address, uint32_t hash,
                                         size_t *at)
{
    for (; a->slots[*at].place; *at = (*at + 1) & a->mask) {
        struct tk_block *b = block_of(a, a->slots[*at].place - 1);
        if (a->slots[*at].hash == hash && b->address == address)
            return b;
    }
    return NULL;
}

struct tk_block *tk_live_blocks_first(const struct tk_live_blocks *a, uint64_t address, size_t *at)
{
    uint32_t hash = hash_of_live_blocks(a, address);
    if (!a->slots)
        return NULL;
    *at = hash & a->mask;
    return look_live_blocks(a, address, hash, at);
}

struct tk_block *tk_live_blocks_next(const struct tk_live_blocks *a, uint64_t address, size_t *at)
{
    *at = (*at + 1) & a->mask;
    return look_live_blocks(a, address, hash_of_live_blocks(a, address), at);
}

struct tk_block *tk_live_blocks_find(const struct tk_live_blocks *a, uint64_t address, uint16_t heap)
{
    size_t at;
    struct tk_block *b = tk_live_blocks_first(a, address, &at);
    while (b && b->heap != heap)
        b = tk_live_blocks_next(a, address, &at);
    return b;
}

/* ---- changing ---- */

static int rehash(struct tk_live_blocks *a, size_t n)
{
    struct tk_live_blocks_slot *slots = calloc(n, sizeof *slots);
    if (!slots)
        return -1;
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

/* A place for a block: one that was freed, or the next. UINT32_MAX if out of memory. */
static uint32_t new_place(struct tk_live_blocks *a)
{
    if (a->free) {
        uint32_t place = a->free - 1;
        a->free = (uint32_t)block_of(a, place)->address;
        return place;
    }
    if (a->n == UINT32_MAX - 1)
        return UINT32_MAX;
    if (a->n / TK_LIVE_BLOCKS_CHUNK == a->n_chunks) {
        if (tk_vec_grow((void **)&a->chunks, &a->cap_chunks, a->n_chunks + 1, sizeof(struct tk_block *)))
            return UINT32_MAX;
        a->chunks[a->n_chunks] = calloc(TK_LIVE_BLOCKS_CHUNK, sizeof(struct tk_block));
        if (!a->chunks[a->n_chunks])
            return UINT32_MAX;
        a->n_chunks++;
    }
    return a->n++;
}

struct tk_block *tk_live_blocks_put(struct tk_live_blocks *a, uint64_t address, uint16_t heap)
{
    uint32_t place;
    /* At most three slots of four are used. */
    if ((!a->slots || a->count >= a->mask - a->mask / 4) &&
        rehash(a, a->slots ? (a->mask + 1) * 2 : FIRST_SLOTS))
        return NULL;
    if ((place = new_place(a)) == UINT32_MAX)
        return NULL;
    uint32_t hash = hash_of_live_blocks(a, address);
    size_t at = hash & a->mask;
    while (a->slots[at].place)
        at = (at + 1) & a->mask;
    a->slots[at] = (struct tk_live_blocks_slot){hash, place + 1};
    a->count++;
    struct tk_block *b = block_of(a, place);
    *b = (struct tk_block){.address = address, .heap = heap};
    return b;
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
    size_t at = hash_of_live_blocks(a, block->address) & a->mask;
    while (block_of(a, a->slots[at].place - 1) != block)
        at = (at + 1) & a->mask;
    tk_live_blocks_take_at(a, at);
}

void tk_live_blocks_prefetch(const struct tk_live_blocks *a, uint64_t address)
{
    if (a->slots)
        tk_prefetch(&a->slots[hash_of_live_blocks(a, address) & a->mask]);
}

void tk_live_blocks_prefetch_block(const struct tk_live_blocks *a, uint64_t address)
{
    uint32_t hash = hash_of_live_blocks(a, address);
    size_t at = hash & a->mask;
    if (!a->slots)
        return;
    while (a->slots[at].place && a->slots[at].hash != hash)
        at = (at + 1) & a->mask;
    if (a->slots[at].place)
        tk_prefetch_write(block_of(a, a->slots[at].place - 1));
}

void tk_live_blocks_release(struct tk_live_blocks *a)
{
    for (size_t i = 0; i < a->n_chunks; i++)
        free(a->chunks[i]);
    free(a->chunks);
    free(a->slots);
    *a = (struct tk_live_blocks){0};
}
