/*
 * The closed zones of one thread, decoded piece by piece of the payload and given to who sums them up, by the
 * workers of the pool in turn.
 *
 * Only one of them decodes at a time, as every zone needs what was before it. That is little, while a piece
 * and its zones are much: so a piece is decoded where it was unpacked, and its zones are summed up there
 * again, while the next piece is decoded elsewhere. With several cores hardly a byte goes from one to
 * another.
 */
#ifndef TK_FORMAT_TRACY_ZONES_ZONE_PIPELINE_H
#define TK_FORMAT_TRACY_ZONES_ZONE_PIPELINE_H

#include "fact/source.h"
#include "format/tracy/file/blocks.h"
#include "format/tracy/walk/zone_close.h"
#include "io/scratch/readahead.h"

/* What is told of a piece that was summed up. */
struct tk_tracy_zones_told {
    uint64_t at;            /* offset in the payload behind it */
    uint64_t none, unknown; /* begins without a location, and whose location does not exist */
    int status;             /* TK_OK or TK_ENOMEM */
    bool last;              /* of the thread */
};

struct tk_tracy_zones_place;

/* Zero-initialise, then open. */
struct tk_tracy_zone_pipeline {
    const struct tk_closed_taker *taker; /* borrowed */
    struct tk_pool *pool;                /* borrowed */
    struct tk_tracy_closing closing;     /* for the consumer only behind the last piece of a thread */

    /* of the thread */
    uint32_t thread, lane;
    const struct tk_tracy_blocks *blocks; /* borrowed */
    struct tk_tracy_payload in;           /* of the walk, while zones are under way */
    struct tk_readahead ahead;
    struct tk_tracy_zones_place *places; /* owned */
    size_t n_places, next;
    bool given, ended;
    bool at_once; /* a piece is summed up before the next one is decoded */
};

/* All is borrowed. TK_OK or TK_ENOMEM. */
int tk_tracy_zone_pipeline_open(struct tk_tracy_zone_pipeline *z, const struct tk_context *ctx,
                                const struct tk_tracy_locations *locations,
                                const struct tk_closed_taker *taker);

/* Begins the zones of a thread, so many on the first level. The payload, which comes from blocks, is not to
 * be read until the last piece was told. */
void tk_tracy_zone_pipeline_begin(struct tk_tracy_zone_pipeline *z, uint32_t thread, uint32_t lane,
                                  const struct tk_tracy_blocks *blocks, const struct tk_tracy_payload *in,
                                  uint32_t roots);

/* Waits for the next piece; with the last one *in is where the zones end. */
struct tk_tracy_zones_told tk_tracy_zone_pipeline_next(struct tk_tracy_zone_pipeline *z,
                                                       struct tk_tracy_payload *in);

/* To be closed before what the payload comes from. */
void tk_tracy_zone_pipeline_close(struct tk_tracy_zone_pipeline *z);

#endif
