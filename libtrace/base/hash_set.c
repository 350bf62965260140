/*
 * A set of hashes. See hash_set.h.
 */
#include "base/hash_set.h"

#include <stdlib.h>

/* Grown by an eighth when four of five slots are used: doubled tables are half empty, and there is one for
 * each thread of a capture. */
#define FIRST_SLOTS 16u
#define MOST_SLOTS  (UINT32_C(1) << 31)

/* Where a hash stands, or would. */
static uint64_t *slot_of(uint64_t *slots, uint32_t n, uint64_t hash)
{
    uint32_t i = (uint32_t)((hash >> 32) * n >> 32);
    while (slots[i] && slots[i] != hash)
        i = i + 1 < n ? i + 1 : 0;
    return &slots[i];
}

static uint64_t key_of(uint64_t hash)
{
    return hash ? hash : 1;
}

static int grow_set(struct tk_hash_set *s)
{
    const uint32_t n = s->n_slots ? s->n_slots + s->n_slots / 8 : FIRST_SLOTS;
    uint64_t *slots = n <= MOST_SLOTS ? calloc(n, sizeof *slots) : NULL;
    if (!slots)
        return -1;
    for (uint32_t i = 0; i < s->n_slots; i++)
        if (s->slots[i])
            *slot_of(slots, n, s->slots[i]) = s->slots[i];
    free(s->slots);
    s->slots = slots;
    s->n_slots = n;
    return 0;
}

bool tk_hash_set_has(const struct tk_hash_set *s, uint64_t hash)
{
    return s->count && *slot_of(s->slots, s->n_slots, key_of(hash));
}

int tk_hash_set_add(struct tk_hash_set *s, uint64_t hash)
{
    if (tk_hash_set_has(s, hash))
        return 0;
    if (s->count >= s->n_slots - s->n_slots / 5 && grow_set(s))
        return -1;
    *slot_of(s->slots, s->n_slots, key_of(hash)) = key_of(hash);
    s->count++;
    return 0;
}

void tk_hash_set_release(struct tk_hash_set *s)
{
    free(s->slots);
    *s = (struct tk_hash_set){0};
}
