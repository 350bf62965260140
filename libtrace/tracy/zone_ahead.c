/*
 * See zone_ahead.h.
 */
#include "tracy/zone_ahead.h"

#include <stdlib.h>

#define PLACES_JOBS 8u /* with several jobs: so that neither who decodes nor who uses it has to wait */

static bool close_some(void *ctx, size_t number, unsigned worker)
{
    struct tk_tracy_zones_ahead *z = ctx;
    struct tk_tracy_closing *c = &z->closing;
    struct tk_tracy_closed *out = &z->places[number % z->n_places];
    (void)worker;
    if (z->ended)
        return false;
    out->n = 0;
    out->status = tk_tracy_closing_run(c, &z->in, out);
    out->last = z->ended =
        out->status != TK_OK || c->too_deep || tk_tracy_closing_done(c) || !tk_tracy_ok(&z->in);
    out->at = tk_tracy_at(&z->in);
    out->none = c->none;
    out->unknown = c->unknown;
    c->none = c->unknown = 0;
    return true;
}

int tk_tracy_zones_ahead_open(struct tk_tracy_zones_ahead *z, struct tk_pool *pool,
                              const struct tk_tracy_locations *locations, uint64_t limit, uint64_t most)
{
    z->n_places = tk_pool_jobs(pool) > 1 ? PLACES_JOBS : 1;
    z->places = malloc(z->n_places * sizeof *z->places);
    z->ahead.pool = pool;
    return z->places ? tk_tracy_closing_open(&z->closing, locations, limit, most) : TK_ENOMEM;
}

void tk_tracy_zones_ahead_begin(struct tk_tracy_zones_ahead *z, const struct tk_tracy_payload *in,
                                uint32_t roots)
{
    tk_ahead_close(&z->ahead);
    tk_ahead_open(&z->ahead, z->ahead.pool, close_some, z, z->n_places);
    z->ahead.task.first = true;
    z->ahead.task.home = tk_pool_jobs(z->ahead.pool); /* as the first one has to use what comes out */
    tk_tracy_closing_begin(&z->closing, roots);
    z->in = *in;
    z->next = 0;
    z->given = z->ended = false;
}

const struct tk_tracy_closed *tk_tracy_zones_ahead_next(struct tk_tracy_zones_ahead *z,
                                                        struct tk_tracy_payload *in)
{
    if (z->given)
        tk_ahead_give_back(&z->ahead);
    z->given = tk_ahead_take(&z->ahead);
    const struct tk_tracy_closed *closed = &z->places[z->next++ % z->n_places];
    if (closed->last)
        *in = z->in;
    return closed;
}

void tk_tracy_zones_ahead_close(struct tk_tracy_zones_ahead *z)
{
    tk_ahead_close(&z->ahead);
    tk_tracy_closing_release(&z->closing);
    free(z->places);
    *z = (struct tk_tracy_zones_ahead){0};
}
