/*
 * A map from a 64-bit key to a 32-bit value, open-addressed, insertion only (values can be replaced). It is
 * never iterated: code that needs an order keeps a vector alongside it. And hashes, which have a key for each
 * process.
 */
#ifndef TK_BASE_HASH_H
#define TK_BASE_HASH_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TK_MAP_NONE UINT32_MAX /* not a value */

struct tk_map_slot {
    uint64_t key;
    uint32_t value; /* TK_MAP_NONE: the slot is empty */
};

/* Zero-initialise to begin. */
struct tk_map {
    struct tk_map_slot *slots; /* owned; a key stands at or behind its hash & mask */
    size_t mask, count;
};

/* The value of a key, or TK_MAP_NONE. */
uint32_t tk_map_get(const struct tk_map *m, uint64_t key);

/* Requests the memory that a look-up of the key would touch. */
void tk_map_prefetch(const struct tk_map *m, uint64_t key);

/* Sets the value (not TK_MAP_NONE) of a key; 0, or -1 if out of memory. */
int tk_map_put(struct tk_map *m, uint64_t key, uint32_t value);

/* The value of a key, which gets this one (not TK_MAP_NONE) where it has none: a look-up and a put in one.
 * TK_MAP_NONE if out of memory. */
uint32_t tk_map_get_or_put(struct tk_map *m, uint64_t key, uint32_t value);

void tk_map_release(struct tk_map *m);

/*
 * Hashes of bytes, of a number and of two numbers, for tables in memory. Each process has a key of its own
 * for them, so that nobody can write a file whose names all belong in one slot. Therefore nothing that is
 * stored or printed, and no order, may depend on a hash; tk_checksum is for that.
 */
uint64_t tk_hash_bytes(const void *p, size_t n, uint64_t seed);
uint64_t tk_hash_u64(uint64_t v);

static inline uint64_t tk_hash_pair(uint64_t a, uint64_t b)
{
    return tk_hash_u64(tk_hash_u64(a) ^ b);
}

/* The key, for tables that hash on their own. Never 0; the same as long as the process runs. */
uint64_t tk_hash_key(void);

/* Proposes random bits as the key. They count where nothing has been hashed before: the key is made of time
 * and addresses otherwise. */
void tk_hash_propose_key(uint64_t random);

/*
 * A set of hashes of 64 bits, insertion only, in 10 to 12 bytes each: the hashes are the keys, and their
 * upper half says where they stand. So they have to be hashes already, made with the key of the process.
 */

/* Zero-initialise to begin. */
struct tk_hash_set {
    uint64_t *slots; /* owned; 0: empty. The hash 0 is kept as 1 */
    uint32_t n_slots;
    size_t count;
};

bool tk_hash_set_has(const struct tk_hash_set *s, uint64_t hash);

/* Adds a hash that is there or not. 0, or -1 if out of memory. */
int tk_hash_set_add(struct tk_hash_set *s, uint64_t hash);

void tk_hash_set_release(struct tk_hash_set *s);

/*
 * Numbers that are in use: of a recording they are dense, so that most are bits in a row.
 */

/* From here on numbers are in the map; the bits below are 16 MiB. */
#define TK_ID_SET_DENSE (UINT64_C(1) << 27)

/* Zero-initialise. */
struct tk_id_set {
    TK_VEC(uint64_t) bits;
    struct tk_map far;
};

/* Makes space for a number that has none, and adds it. 0, or -1 if out of memory. */
int tk_id_set_grow(struct tk_id_set *s, uint64_t id);

/* 0, or -1 if out of memory. */
static inline int tk_id_set_add(struct tk_id_set *s, uint64_t id)
{
    if (id / 64 >= s->bits.n)
        return tk_id_set_grow(s, id);
    s->bits.v[id / 64] |= UINT64_C(1) << id % 64;
    return 0;
}

static inline bool tk_id_set_has(const struct tk_id_set *s, uint64_t id)
{
    if (id / 64 < s->bits.n)
        return s->bits.v[id / 64] >> id % 64 & 1;
    return id >= TK_ID_SET_DENSE && tk_map_get(&s->far, id) != TK_MAP_NONE;
}

void tk_id_set_release(struct tk_id_set *s);

/*
 * A set of places in a vector, found by what stands there: a map whose keys are in the elements of the
 * vector, so that it takes four bytes a slot.
 */

/* Zero-initialise to begin. */
struct tk_places {
    uint32_t *slots; /* owned; places and 1; 0: empty. A place stands at or behind its hash & mask */
    size_t mask, count;
};

/*
 * The next place that may have this hash, or TK_MAP_NONE; *at begins as the hash:
 *
 *     for (size_t at = hash; (place = tk_places_next(p, &at)) != TK_MAP_NONE;)
 *         if (is_it(&v[place]))
 */
static inline uint32_t tk_places_next(const struct tk_places *p, size_t *at)
{
    if (!p->slots)
        return TK_MAP_NONE;
    const uint32_t slot = p->slots[*at & p->mask];
    ++*at;
    return slot - 1; /* TK_MAP_NONE of an empty one */
}

/* Adds a place that is not there (below TK_MAP_NONE - 1); `hash` gives the hash of a place, also of those
 * before. 0, or -1 if out of memory. */
int tk_places_add(struct tk_places *p, uint32_t place, uint64_t (*hash)(const void *ctx, uint32_t place),
                  const void *ctx);

void tk_places_release(struct tk_places *p);

/*
 * Memory of hash tables. The system may have large pages for those that are large, which this folder does not
 * know: who does proposes it.
 */

/* n bytes for a table, not zeroed, to be freed by free(). NULL if out of memory. */
void *tk_table_memory(size_t n);

/* Proposes where memory of tables comes from, in place of malloc: the first proposal counts, for the process.
 */
void tk_table_memory_by(void *(*memory)(size_t n));

#endif
