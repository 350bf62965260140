/*
 * The newest nights of a series: a change that is likely, but not sure yet, and runs that are worth
 * repeating. See epoch.h.
 */
#include "trend/epoch.h"
#include "compare/verdict/probability.h"

#include <math.h>

#define BLOCK 3u /* nights */

/* Changes of the newest three nights as a block: the number of series counts, that of nights does not.
 * 1: told. */
static int probable(struct tk_trend_epoch *e, size_t curve)
{
    const struct tk_trend_curve *c = &e->curves[curve];
    uint32_t from = e->last[curve], to = e->span.to;
    if (to < from + BLOCK + 1)
        return 0;
    struct tk_trend_side left = tk_trend_side_of(c->z, from, to - BLOCK, e->room.left);
    struct tk_trend_side right = tk_trend_side_of(c->z, to - BLOCK, to, e->room.right);
    if (left.n < TK_TREND_NIGHTS || right.n != BLOCK)
        return 0;
    double before = tk_robust_centre(left.v, left.n, c->sd, e->room.sorted);
    double after = tk_robust_centre(right.v, right.n, c->sd, e->room.sorted);
    struct tk_trend_event event = tk_trend_event_of(e, curve);
    event.kind = TK_TREND_PROBABLE;
    event.size = after - before;
    event.se = c->sd * sqrt(c->phi * (1 / (double)left.n + 1.0 / BLOCK));
    event.p = (double)e->n_curves * tk_probability_t(event.size / event.se, e->nu);
    if (event.p >= e->setup->alpha || fabs(event.size) < e->setup->floor ||
        tk_robust_order(left.v, left.n, right.v, right.n, before, after) >= TK_TREND_ORDER)
        return 0;
    event.night = to - BLOCK;
    event.low = event.night - 1;
    event.high = event.night + 1;
    return tk_trend_put(e, &event) ? -1 : 1;
}

/* How far 95 % of the values are from their middle at most. */
static double usual_distance(const struct tk_trend_side *s, double middle, struct tk_robust_pair *room)
{
    for (size_t i = 0; i < s->n; i++)
        room[i] = (struct tk_robust_pair){fabs(s->v[i] - middle), 1};
    (void)tk_robust_weighted_median(room, s->n); /* sorts them */
    return room[(size_t)(0.95 * (double)s->n) - 1].value;
}

/* The last night, or the last two, far from all before: no change yet, but worth another run. */
static int suspect(struct tk_trend_epoch *e, size_t curve)
{
    const struct tk_trend_curve *c = &e->curves[curve];
    struct tk_trend_side all = tk_trend_side_of(c->z, e->last[curve], e->span.to, e->room.left);
    uint32_t last[2], n = 0;
    if (all.n < TK_TREND_NIGHTS + 2)
        return 0;
    for (uint32_t t = e->span.to; n < 2; t--)
        if (!isnan(c->z[t - 1]))
            last[n++] = t - 1;
    struct tk_trend_side before = {all.v, all.n - 2};
    double middle = tk_robust_centre(before.v, before.n, c->sd, e->room.sorted);
    double far = fmax(sqrt(e->quantile2 * c->phi) * c->sd, e->setup->floor);
    far = fmax(far, 2 * usual_distance(&before, middle, e->room.pairs));
    double newest = c->z[last[0]] - middle, second = c->z[last[1]] - middle;
    if (fabs(newest) <= far)
        return 0;
    struct tk_trend_event event = tk_trend_event_of(e, curve);
    bool both = fabs(second) > far && newest * second > 0;
    event.kind = TK_TREND_SUSPECT;
    event.night = both ? last[1] : last[0];
    event.low = last[1];
    event.high = last[0];
    event.size = newest;
    event.p = 1;
    return tk_trend_put(e, &event);
}

int tk_trend_newest(struct tk_trend_epoch *e, size_t curve)
{
    int told = probable(e, curve);
    return told ? (told < 0 ? -1 : 0) : suspect(e, curve);
}
