/*
 * A hash map with linear probing, and the hash functions. Used throughout the library.
 */
#include "base/hash.h"

#include "base/cursor.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 16 };

struct tk_map_slot {
    uint64_t key;
    uint32_t value; /* TK_MAP_NONE: the slot is empty */
};

static struct tk_map_slot *find_hash(struct tk_map_slot *slots, size_t mask, uint64_t key)
{
    size_t i = (size_t)tk_hash_u64(key) & mask;
    while (slots[i].value != TK_MAP_NONE && slots[i].key != key)
        i = (i + 1) & mask;
    return &slots[i];
}

static int rehash(struct tk_map *m, size_t n)
{
    struct tk_map_slot *slots = n <= SIZE_MAX / sizeof *slots ? malloc(n * sizeof *slots) : NULL;
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

int tk_map_put(struct tk_map *m, uint64_t key, uint32_t value)
{
    struct tk_map_slot *slot = m->slots ? find_hash(m->slots, m->mask, key) : NULL;
    if (slot && slot->value != TK_MAP_NONE) {
        slot->value = value;
        return 0;
    }
    /* At most three slots of four are used. */
    if (!slot || m->count >= m->mask - m->mask / 4) {
        if (rehash(m, slot ? (m->mask + 1) * 2 : FIRST_SLOTS))
            return -1;
        slot = find_hash(m->slots, m->mask, key);
    }
    *slot = (struct tk_map_slot){.key = key, .value = value};
    m->count++;
    return 0;
}

void tk_map_release(struct tk_map *m)
{
    free(m->slots);
    *m = (struct tk_map){0};
}

/* Two rounds of xor-shift and multiplication by odd constants: every bit of v reaches every bit of the
 * result. */
uint64_t tk_hash_u64(uint64_t v)
{
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

uint64_t tk_hash_bytes(const void *p, size_t n, uint64_t seed)
{
    const uint8_t *b = p;
    uint64_t h = seed ^ (uint64_t)n * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = 0;
    for (; n - at >= 8; at += 8)
        h = tk_hash_u64(h ^ tk_load64(b + at));
    if (at < n)
        h = tk_hash_u64(h ^ tk_load_le(b + at, n - at));
    return tk_hash_u64(h);
}
