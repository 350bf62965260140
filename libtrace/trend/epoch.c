/*
 * Runs the analysis of one epoch. See epoch.h.
 */
#include "trend/epoch.h"

#include "base/arena.h"

static int find_rows(struct tk_trend_epoch *e)
{
    e->rows = tk_arena_alloc(&e->arena, e->h->runs.n * sizeof *e->rows);
    if (!e->rows)
        return -1;
    for (uint32_t r = 0; r < e->h->runs.n; r++) {
        uint32_t night = e->h->runs.v[r].night;
        if (night >= e->span.from && night < e->span.to && !e->machines->skipped[night])
            e->rows[e->n_rows++] = r;
    }
    return 0;
}

int tk_trend_epoch(struct tk_trend_epoch *e)
{
    if (tk_trend_room(&e->room, &e->arena, e->h->runs.n, 2 * e->h->series.n) || find_rows(e) ||
        tk_trend_flatten(e) || tk_trend_families(e) || tk_trend_put_common(e))
        return -1;
    if (!e->n_curves)
        return 0;
    return tk_trend_changes(e) || tk_trend_tell(e) ? -1 : 0;
}
