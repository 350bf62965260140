/*
 * Places in a vector. See places.h.
 */
#include "base/places.h"

#include <stdlib.h>

#define FIRST_SLOTS 64u

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
    const size_t had = p->slots ? p->mask + 1 : 0, n = had ? had * 2 : FIRST_SLOTS;
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
    const size_t room = p->slots ? (p->mask + 1) / 4 * 3 : 0;
    if (place >= TK_MAP_NONE - 1 || (p->count >= room && grow_places(p, hash, ctx)))
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
