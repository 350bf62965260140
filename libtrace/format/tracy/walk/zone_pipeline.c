/*
 * See zone_pipeline.h. One task decodes, wherever the next block was unpacked. Each place has a task that
 * sums up what was decoded into it; these wait for nothing, so anybody may wait for them.
 */
#include "format/tracy/walk/zone_pipeline.h"

#include "format/tracy/walk/zone_tree.h"

#include <stdlib.h>

/* With several jobs: so that nobody waits for the consumer. Where two take turns, each has always the same.
 */
#define PLACES_JOBS 8u

struct tk_tracy_zones_place {
    const struct tk_tracy_zone_pipeline *owner;
    struct tk_task sums; /* zeroed: nothing to wait for */
    struct tk_tracy_zones_told told;
    struct tk_tracy_closed closed;
};

static void sum_up(void *ctx, size_t index, unsigned worker)
{
    struct tk_tracy_zones_place *place = ctx;
    const struct tk_tracy_zone_pipeline *z = place->owner;
    const struct tk_tracy_closed *closed = &place->closed;
    const struct tk_closed_scopes scopes = {z->thread,     z->lane,      closed->n,    closed->timer,
                                            closed->total, closed->excl, closed->outer};
    (void)index;
    int rc = closed->n ? z->taker->take(z->taker->ctx, &scopes, worker) : TK_OK;
    if (place->told.status == TK_OK)
        place->told.status = rc;
}

/* Decodes up to the end of a piece, as whoever has the next one at hand goes on, or while there is room. */
static void decode(struct tk_tracy_zone_pipeline *z, struct tk_tracy_zones_place *place)
{
    struct tk_tracy_closing *c = &z->closing;
    place->closed.n = 0;
    int status = tk_tracy_closing_run(c, &z->in, &place->closed);
    z->ended = status != TK_OK || c->too_deep || c->fault != TK_TRACY_ZONE_SOUND ||
               tk_tracy_closing_done(c) || !tk_tracy_ok(&z->in);
    place->told = (struct tk_tracy_zones_told){tk_tracy_at(&z->in), c->none, c->unknown, status, z->ended};
    c->none = c->unknown = 0;
}

static bool make_piece(void *ctx, size_t number, unsigned worker)
{
    struct tk_tracy_zone_pipeline *z = ctx;
    struct tk_tracy_zones_place *place = &z->places[number % z->n_places];
    if (z->ended)
        return false;
    decode(z, place);
    /* the rest of a zone that lies on the border is the matter of who has more of it */
    if (z->in.end - z->in.p < TK_TRACY_ZONE_BYTES)
        z->ahead.task.home = tk_tracy_blocks_home(z->blocks);
    if (z->at_once)
        sum_up(place, 0, worker);
    else
        tk_pool_start_here(z->pool, &place->sums, sum_up, place);
    return true;
}

int tk_tracy_zone_pipeline_open(struct tk_tracy_zone_pipeline *z, const struct tk_context *ctx,
                                const struct tk_tracy_locations *locations,
                                const struct tk_closed_taker *taker)
{
    z->taker = taker;
    z->pool = ctx->pool;
    const bool alone = tk_pool_jobs(ctx->pool) == 1;
    z->at_once = alone || taker->in_order;
    z->closing.by_piece = !alone;
    z->n_places = alone ? 1 : PLACES_JOBS;
    z->places = calloc(z->n_places, sizeof *z->places);
    for (size_t i = 0; z->places && i < z->n_places; i++)
        z->places[i].owner = z;
    return z->places
               ? tk_tracy_closing_open(&z->closing, locations, ctx->limits.open_scopes, ctx->limits.nesting)
               : TK_ENOMEM;
}

void tk_tracy_zone_pipeline_begin(struct tk_tracy_zone_pipeline *z, uint32_t thread, uint32_t lane,
                                  const struct tk_tracy_blocks *blocks, const struct tk_tracy_payload *in,
                                  uint32_t roots)
{
    tk_readahead_close(&z->ahead);
    tk_readahead_open(&z->ahead, z->pool, make_piece, z, z->n_places);
    z->ahead.task.first = true;
    z->ahead.task.home = tk_tracy_blocks_home(blocks);
    tk_tracy_closing_begin(&z->closing, roots);
    z->thread = thread;
    z->lane = lane;
    z->blocks = blocks;
    z->in = *in;
    z->next = 0;
    z->given = z->ended = false;
}

struct tk_tracy_zones_told tk_tracy_zone_pipeline_next(struct tk_tracy_zone_pipeline *z,
                                                       struct tk_tracy_payload *in)
{
    if (z->given)
        tk_readahead_give_back(&z->ahead);
    z->given = tk_readahead_take(&z->ahead);
    struct tk_tracy_zones_place *place = &z->places[z->next++ % z->n_places];
    tk_pool_wait(z->pool, &place->sums);
    if (place->told.last)
        *in = z->in;
    return place->told;
}

void tk_tracy_zone_pipeline_close(struct tk_tracy_zone_pipeline *z)
{
    tk_readahead_close(&z->ahead);
    for (size_t i = 0; z->places && i < z->n_places; i++)
        tk_pool_wait(z->pool, &z->places[i].sums);
    tk_tracy_closing_release(&z->closing);
    free(z->places);
    *z = (struct tk_tracy_zone_pipeline){0};
}
