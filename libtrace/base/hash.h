/*
 * A map from a 64-bit key to a 32-bit value, open-addressed, insertion only (values can be replaced). It is
 * never iterated: code that needs an order keeps a vector beside it. And hashes, which have a key for each
 * process.
 */
#ifndef TK_BASE_HASH_HASH_H
#define TK_BASE_HASH_HASH_H

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

/* Asks for the memory that a look-up of the key would touch. */
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

#endif
