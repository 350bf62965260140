/*
 * A set of places in a vector, found by what stands there: a map whose keys are in the elements of the
 * vector, so that it takes four bytes a slot.
 */
#ifndef TK_BASE_HASH_PLACES_H
#define TK_BASE_HASH_PLACES_H

#include "base/hash.h"

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

#endif
