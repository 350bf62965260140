/*
 * A map from a 64-bit key to a 32-bit value, open-addressed, insertion only (values can be replaced). It is
 * never iterated: code that needs an order keeps a vector beside it.
 */
#ifndef TK_BASE_HASH_H
#define TK_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define TK_MAP_NONE UINT32_MAX /* not a value */

/* Zero-initialise to begin. */
struct tk_map {
    struct tk_map_slot *slots; /* owned */
    size_t mask, count;
};

/* The value of a key, or TK_MAP_NONE. */
uint32_t tk_map_get(const struct tk_map *m, uint64_t key);

/* Sets the value (not TK_MAP_NONE) of a key; 0, or -1 when memory is out. */
int tk_map_put(struct tk_map *m, uint64_t key, uint32_t value);

void tk_map_release(struct tk_map *m);

/* Hash of bytes and of a number, fixed for ever (baseline files may store them). */
uint64_t tk_hash_bytes(const void *p, size_t n, uint64_t seed);
uint64_t tk_hash_u64(uint64_t v);

#endif
