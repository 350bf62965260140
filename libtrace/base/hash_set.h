/*
 * A set of hashes of 64 bits, insertion only, in 10 to 12 bytes each: the hashes are the keys, and their
 * upper half says where they stand. So they have to be hashes already, made with the key of the process.
 */
#ifndef TK_BASE_HASH_HASH_SET_H
#define TK_BASE_HASH_HASH_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
