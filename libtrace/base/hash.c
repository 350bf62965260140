/*
 * A hash map with linear probing, and the hash functions. Used throughout the library.
 */
#include "base/hash.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "base/table_memory.h"
#include "os/atomic.h"

#include <stdlib.h>
#include <time.h>

enum { FIRST_SLOTS = 16 };

/* ---- the key ---- */

static struct tk_atomic process_key; /* 0: none yet. As wide as every processor reads at once */

void tk_hash_propose_key(uint64_t random)
{
    size_t key = (size_t)(random ^ random >> 32);
    tk_atomic_claim(&process_key, key ? key : 1);
}

/* What a file that was written before cannot know: the time, and where system and loader put things. */
static size_t make_key(void)
{
    struct timespec now = {0};
    timespec_get(&now, TIME_UTC);
    const uint64_t parts[] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)clock(),
                              (uint64_t)(uintptr_t)&now, (uint64_t)(uintptr_t)&process_key};
    tk_hash_propose_key(tk_checksum(parts, sizeof parts, 0));
    return tk_atomic_get(&process_key);
}

static inline uint64_t key_of_process(void)
{
    size_t key = tk_atomic_get(&process_key);
    key = key ? key : make_key();
    return sizeof key < sizeof(uint64_t) ? key * UINT64_C(0x9e3779b97f4a7c15) : key;
}

uint64_t tk_hash_key(void)
{
    return key_of_process();
}

/* ---- hashes ---- */

TK_ALWAYS_INLINE uint64_t hash_number(uint64_t v)
{
    return tk_mix(v ^ key_of_process());
}

uint64_t tk_hash_u64(uint64_t v)
{
    return hash_number(v);
}

uint64_t tk_hash_bytes(const void *p, size_t n, uint64_t seed)
{
    return tk_checksum(p, n, seed ^ key_of_process());
}

/* ---- the map ---- */

TK_ALWAYS_INLINE struct tk_map_slot *find_hash(struct tk_map_slot *slots, size_t mask, uint64_t key)
{
    size_t i = (size_t)hash_number(key) & mask;
    while (slots[i].value != TK_MAP_NONE && slots[i].key != key)
        i = (i + 1) & mask;
    return &slots[i];
}

static int rehash(struct tk_map *m, size_t n)
{
    struct tk_map_slot *slots = n <= SIZE_MAX / sizeof *slots ? tk_table_memory(n * sizeof *slots) : NULL;
    if (!slots)
        return -1;
    for (size_t i = 0; i < n; i++)
        slots[i] = (struct tk_map_slot){.value = TK_MAP_NONE};
    for (size_t i = 0; m->slots && i <= m->mask; i++) {
        if (m->slots[i].value != TK_MAP_NONE)
            *find_hash(slots, n - 1, m->slots[i].key) = m->slots[i];
    }
    free(m->slots);
    m->slots = slots;
    m->mask = n - 1;
    return 0;
}

uint32_t tk_map_get(const struct tk_map *m, uint64_t key)
{
    return m->slots ? find_hash(m->slots, m->mask, key)->value : TK_MAP_NONE;
}

void tk_map_prefetch(const struct tk_map *m, uint64_t key)
{
    if (m->slots)
        tk_prefetch(&m->slots[(size_t)hash_number(key) & m->mask]);
}

/* The slot of a key, with its value, or made for it with this one. NULL if out of memory. */
static struct tk_map_slot *reach_slot(struct tk_map *m, uint64_t key, uint32_t value)
{
    struct tk_map_slot *slot = m->slots ? find_hash(m->slots, m->mask, key) : NULL;
    if (slot && slot->value != TK_MAP_NONE)
        return slot;
    /* At most three slots of four are used. */
    if (!slot || m->count >= m->mask - m->mask / 4) {
        if (rehash(m, slot ? (m->mask + 1) * 2 : FIRST_SLOTS))
            return NULL;
        slot = find_hash(m->slots, m->mask, key);
    }
    *slot = (struct tk_map_slot){.key = key, .value = value};
    m->count++;
    return slot;
}

int tk_map_put(struct tk_map *m, uint64_t key, uint32_t value)
{
    struct tk_map_slot *slot = reach_slot(m, key, value);
    if (!slot)
        return -1;
    slot->value = value;
    return 0;
}

uint32_t tk_map_get_or_put(struct tk_map *m, uint64_t key, uint32_t value)
{
    const struct tk_map_slot *slot = reach_slot(m, key, value);
    return slot ? slot->value : TK_MAP_NONE;
}

void tk_map_release(struct tk_map *m)
{
    free(m->slots);
    *m = (struct tk_map){0};
}
