/*
 * A hash map with linear probing, and the hash functions. Used throughout the library.
 */
#include "base/hash.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "os/atomic.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

/*
 * A set of hashes.
 */

/* Grown by an eighth when four of five slots are used: doubled tables are half empty, and there is one for
 * each thread of a capture. */
#define HASH_SET_FIRST_SLOTS 16u
#define MOST_SLOTS           (UINT32_C(1) << 31)

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
    const uint32_t n = s->n_slots ? s->n_slots + s->n_slots / 8 : HASH_SET_FIRST_SLOTS;
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

/*
 * Space for numbers.
 */

int tk_id_set_grow(struct tk_id_set *s, uint64_t id)
{
    if (id >= TK_ID_SET_DENSE)
        return tk_map_put(&s->far, id, 1);
    /* tk_vec_reach grows by half, so that this is seldom */
    if (tk_vec_reach(&s->bits, (size_t)(id / 64) + 1))
        return -1;
    s->bits.v[id / 64] |= UINT64_C(1) << id % 64;
    return 0;
}

void tk_id_set_release(struct tk_id_set *s)
{
    tk_vec_release(&s->bits);
    tk_map_release(&s->far);
}

/*
 * Places in a vector.
 */

#define PLACES_FIRST_SLOTS 64u

static void put_place(struct tk_places *p, uint64_t hash, uint32_t slot)
{
    size_t at = (size_t)hash;
    while (p->slots[at & p->mask])
        at++;
    p->slots[at & p->mask] = slot;
}

static int grow_places(struct tk_places *p, uint64_t (*hash)(const void *ctx, uint32_t place),
                       const void *ctx)
{
    const size_t had = p->slots ? p->mask + 1 : 0, n = had ? had * 2 : PLACES_FIRST_SLOTS;
    struct tk_places grown = {calloc(n, sizeof *grown.slots), n - 1, p->count};
    if (!grown.slots)
        return -1;
    for (size_t i = 0; i < had; i++)
        if (p->slots[i])
            put_place(&grown, hash(ctx, p->slots[i] - 1), p->slots[i]);
    free(p->slots);
    *p = grown;
    return 0;
}

int tk_places_add(struct tk_places *p, uint32_t place, uint64_t (*hash)(const void *ctx, uint32_t place),
                  const void *ctx)
{
    const size_t capacity = p->slots ? (p->mask + 1) / 4 * 3 : 0;
    if (place >= TK_MAP_NONE - 1 || (p->count >= capacity && grow_places(p, hash, ctx)))
        return -1;
    put_place(p, hash(ctx, place), place + 1);
    p->count++;
    return 0;
}

void tk_places_release(struct tk_places *p)
{
    free(p->slots);
    *p = (struct tk_places){0};
}

/*
 * Memory of hash tables.
 */

static struct tk_atomic proposed; /* a function; 0: none */

void *tk_table_memory(size_t n)
{
    void *(*memory)(size_t n) = (void *(*)(size_t))(uintptr_t)tk_atomic_get(&proposed);
    return memory ? memory(n) : malloc(n);
}

void tk_table_memory_by(void *(*memory)(size_t n))
{
    tk_atomic_claim(&proposed, (size_t)(uintptr_t)memory);
}

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
