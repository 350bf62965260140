/*
 * Changes of the level of the common factor: "everything is slower". It is a series with noise of its own,
 * whose nights hang together more than those of others. See common.h.
 */
#include "base/arena.h"
#include "trend/common.h"
#include "trend/judge.h"
#include "trend/segment.h"
#include "compare/verdict/probability.h"

#include <math.h>
#include <string.h>

#define LEAST_PHI 2.5
#define MOST_PHI  6.0
#define CLASSES   3.0 /* that are tested */

static double square(double v)
{
    return v * v;
}

/* Finds out how nights of the curve hang together; room->steps are its segments then. */
static size_t cut_common(struct tk_trend_curve *z, double quantile2, double *beta, struct tk_trend_room *room)
{
    z->phi = LEAST_PHI;
    for (int turn = 0; turn < 2; turn++) {
        size_t n = tk_trend_segment(z, quantile2 * z->phi, room);
        struct tk_trend_dependence d = tk_trend_depends(z, room->steps, n, room);
        z->phi = d.blocks ? fmin(MOST_PHI, fmax(LEAST_PHI, d.ratio)) : LEAST_PHI;
    }
    *beta = quantile2 * z->phi;
    return tk_trend_segment(z, *beta, room);
}

static void fill_level(struct tk_trend_common *c, struct tk_trend_room *room)
{
    const struct tk_trend_span *span = &c->curve.span;
    for (size_t i = 0; i <= c->n; i++) {
        uint32_t a = i ? c->steps[i - 1].night : span->from, b = i < c->n ? c->steps[i].night : span->to;
        struct tk_trend_side side = tk_trend_side_of(c->curve.z, a, b, room->left);
        double level = side.n ? tk_robust_centre(side.v, side.n, c->curve.sd, room->sorted) : 0;
        for (uint32_t t = a; t < b; t++)
            c->level[t] = level;
    }
}

int tk_trend_common_changes(struct tk_trend_common *c, double alpha, double floor, struct tk_trend_room *room,
                            struct tk_arena *arena)
{
    struct tk_trend_curve *z = &c->curve;
    uint32_t nights = z->span.to - z->span.from;
    struct tk_trend_test test = {.floor = 2 * floor, .limit = alpha / (CLASSES * nights)};
    struct tk_trend_side all = tk_trend_side_of(z->z, z->span.from, z->span.to, room->left);
    test.nu = fmax(4, 0.4 * ((double)nights - 2));
    z->sd = fmax(tk_robust_spread(all.v, all.n, room->sorted), floor / 6);
    size_t n = cut_common(z, square(tk_probability_t_limit(test.limit, test.nu)), &test.beta, room);
    n = tk_trend_prune(z, room->steps, n, &test, room, room->judged);
    tk_trend_place(z, room->judged, n, &test);
    c->steps = tk_arena_alloc(arena, n * sizeof *c->steps);
    if (!c->steps)
        return -1;
    memcpy(c->steps, room->judged, n * sizeof *c->steps);
    c->n = n;
    for (size_t i = 0; i < n; i++)
        c->steps[i].p = fmin(1, c->steps[i].p * CLASSES * nights);
    fill_level(c, room);
    return 0;
}
