/*
 * The closed zones of one thread in batches, some of them decoded by the pool before they are asked for.
 */
#ifndef TK_TRACY_ZONE_AHEAD_H
#define TK_TRACY_ZONE_AHEAD_H

#include "base/ahead.h"
#include "tracy/zone_close.h"

/* Zero-initialise, then open. */
struct tk_tracy_zones_ahead {
    struct tk_tracy_closing closing; /* for the consumer only behind the last batch of a thread */
    struct tk_tracy_payload in;      /* of the walk, while zones are under way */
    struct tk_ahead ahead;
    struct tk_tracy_closed *places; /* owned */
    size_t n_places, next;
    bool given, ended;
};

/* pool and locations are borrowed; limits as in tk_tracy_closing_open. TK_OK or TK_ENOMEM. */
int tk_tracy_zones_ahead_open(struct tk_tracy_zones_ahead *z, struct tk_pool *pool,
                              const struct tk_tracy_locations *locations, uint64_t limit, uint64_t most);

/* Begins a tree with so many zones on its first level. The payload is not to be read until the last batch. */
void tk_tracy_zones_ahead_begin(struct tk_tracy_zones_ahead *z, const struct tk_tracy_payload *in,
                                uint32_t roots);

/* The next batch, borrowed until the next call; with the last one *in is where the zones end. */
const struct tk_tracy_closed *tk_tracy_zones_ahead_next(struct tk_tracy_zones_ahead *z,
                                                        struct tk_tracy_payload *in);

/* To be closed before what the payload comes from. */
void tk_tracy_zones_ahead_close(struct tk_tracy_zones_ahead *z);

#endif
