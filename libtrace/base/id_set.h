/*
 * Numbers that are in use: of a recording they are dense, so that most are bits in a row.
 */
#ifndef TK_BASE_HASH_ID_SET_H
#define TK_BASE_HASH_ID_SET_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>

/* From here on numbers are in the map; the bits below are 16 MiB. */
#define TK_ID_SET_DENSE (UINT64_C(1) << 27)

/* Zero-initialise. */
struct tk_id_set {
    TK_VEC(uint64_t) bits;
    struct tk_map far;
};

/* Makes room for a number that has none, and adds it. 0, or -1 if out of memory. */
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

#endif
