/*
 * Alive: what is allocated at a moment, by address and root heap. Made for many millions: 48 bytes for each
 * and 11 to 21 for finding it; what is freed is used again.
 */
#ifndef TK_MODEL_MEMORY_LIVE_BLOCKS_H
#define TK_MODEL_MEMORY_LIVE_BLOCKS_H

#include "base/bits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_block {
    uint64_t address;
    uint64_t size;     /* bytes */
    int64_t time;      /* cycles since the start: when it was allocated */
    uint64_t index;    /* number of the step that allocated it, from 1; 0: nothing is here */
    uint32_t site;     /* index in tk_alloc_groups.sites */
    uint32_t stack;    /* index in tk_alloc_groups.stacks */
    uint32_t sized;    /* the group of its size, where these are summed */
    uint16_t heap;     /* by which it is found */
    uint8_t alignment; /* power of two */
};

struct tk_live_blocks_slot {
    uint32_t hash;  /* stands at or behind hash & mask */
    uint32_t place; /* 1 + place; 0: empty */
};

/* Zero-initialise to begin, but for by_address. */
struct tk_live_blocks {
    bool by_address; /* tk_live_blocks_first is called; many heaps at one address then take long */
    struct tk_live_blocks_slot *slots; /* owned: open-addressed */
    size_t mask, count;
    uint64_t key;             /* of the process, for hashes; once there are slots */
    struct tk_block **chunks; /* owned, of TK_LIVE_BLOCKS_CHUNK blocks each; owned */
    size_t n_chunks, cap_chunks;
    uint32_t n;    /* places ever used */
    uint32_t free; /* 1 + the first place to use again; 0: none */
};

#define TK_LIVE_BLOCKS_CHUNK 8192u

/* The table of so many slots is in a near cache anyway. */
#define TK_LIVE_BLOCKS_NEAR 2048u

static inline uint32_t tk_live_blocks_hash(const struct tk_live_blocks *a, uint64_t address, uint16_t heap)
{
    address ^= a->key;
    uint64_t v = (address ^ address >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    if (heap && !a->by_address)
        v += heap * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((v ^ v >> 29) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* The block at an address, or NULL. Valid until it is taken. */
struct tk_block *tk_live_blocks_find(const struct tk_live_blocks *a, uint64_t address, uint16_t heap);

/* The same, and in *at where it stands, or where tk_live_blocks_put_at is to put one; tk_live_blocks_reserve
 * was called before. */
struct tk_block *tk_live_blocks_seek(const struct tk_live_blocks *a, uint64_t address, uint16_t heap,
                                     size_t *at);

/* Makes space for one more block. 0, or -1 if out of memory. */
int tk_live_blocks_reserve(struct tk_live_blocks *a);
struct tk_block *tk_live_blocks_put_at(struct tk_live_blocks *a, uint64_t address, uint16_t heap, size_t at);

/* A block for an address, with only address and heap set; NULL if out of memory. There may be several for
 * one address and heap; which of them is found first is not said. The caller sets an index. */
struct tk_block *tk_live_blocks_put(struct tk_live_blocks *a, uint64_t address, uint16_t heap);

/* Takes a block that was found out of the set. */
void tk_live_blocks_take(struct tk_live_blocks *a, struct tk_block *block);

/* Takes the block that tk_live_blocks_first or tk_live_blocks_next has just found at `at`. */
void tk_live_blocks_take_at(struct tk_live_blocks *a, size_t at);

/* To go over all blocks of an address, where by_address is set: the first place to look, then the next; NULL
 * at the end. */
struct tk_block *tk_live_blocks_first(const struct tk_live_blocks *a, uint64_t address, size_t *at);
struct tk_block *tk_live_blocks_next(const struct tk_live_blocks *a, uint64_t address, size_t *at);

/* To go over all blocks: place 0 to a->n - 1; NULL where there is none. */
static inline struct tk_block *tk_live_blocks_at(const struct tk_live_blocks *a, uint32_t place)
{
    struct tk_block *b = &a->chunks[place / TK_LIVE_BLOCKS_CHUNK][place % TK_LIVE_BLOCKS_CHUNK];
    return b->index ? b : NULL;
}

/* Bring near what a later find, put or take of an address and heap will look at: first its place in the
 * table, then, when that is near, the block. Change nothing. */
TK_ALWAYS_INLINE void tk_live_blocks_prefetch(const struct tk_live_blocks *a, uint64_t address, uint16_t heap)
{
    if (a->mask >= TK_LIVE_BLOCKS_NEAR)
        tk_prefetch(&a->slots[tk_live_blocks_hash(a, address, heap) & a->mask]);
}
void tk_live_blocks_prefetch_block(const struct tk_live_blocks *a, uint64_t address, uint16_t heap);

void tk_live_blocks_release(struct tk_live_blocks *a);

#endif
