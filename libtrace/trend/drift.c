/*
 * Tries ramps with about ten places for each end where the segments make stairs. See drift.h.
 */
#include "trend/drift.h"

#include "trend/ramp.h"

#include <math.h>

#define PLACES 10  /* of an end of a ramp */
#define MARGIN 0.2 /* by how much of the penalty a ramp must be better than stairs */

struct stairs {
    const struct tk_trend_curve *c;
    const struct tk_trend_test *test;
    struct tk_trend_room *room;
    const uint32_t *nights; /* all changes */
    const uint8_t *fixed;
    size_t n;
    double *levels; /* of the segments, n + 1 */
    struct tk_trend_span span;
    double bound;
};

static uint32_t begin_of(const struct stairs *s, size_t segment)
{
    return segment ? s->nights[segment - 1] : s->c->span.from;
}

static uint32_t end_of(const struct stairs *s, size_t segment)
{
    return segment < s->n ? s->nights[segment] : s->c->span.to;
}

static void find_levels(struct stairs *s)
{
    for (size_t i = 0; i <= s->n; i++) {
        struct tk_trend_side side = tk_trend_side_of(s->c->z, begin_of(s, i), end_of(s, i), s->room->left);
        s->levels[i] = side.n ? tk_robust_centre(side.v, side.n, s->c->sd, s->room->sorted) : 0;
    }
}

static bool goes_up(const struct stairs *s, size_t change)
{
    return s->levels[change + 1] > s->levels[change];
}

/* The last segment of the stairs that begin with a segment. */
static size_t top_of(const struct stairs *s, size_t first)
{
    size_t last = first;
    while (last < s->n && !s->fixed[last] && (last == first || goes_up(s, last) == goes_up(s, first)))
        last++;
    return last;
}

/* At most ten nights of a .. b - 1. */
static uint32_t stride(uint32_t a, uint32_t b)
{
    uint32_t n = b > a ? (b - a + PLACES - 1) / PLACES : 1;
    return n > 1 ? n : 1;
}

static void try_ramp(const struct stairs *s, uint32_t from, uint32_t to, struct tk_trend_drift *best,
                     double *cost)
{
    struct tk_trend_drift ramp = {from, to, 0, 0};
    if (to < from + TK_TREND_RAMP || !tk_trend_ramp_fit(s->c, &s->span, &ramp, s->room))
        return;
    unsigned ends = (from > s->span.from ? 1u : 0u) + (to < s->span.to ? 1u : 0u);
    double here = tk_trend_ramp_loss(s->c, &s->span, &ramp, s->bound) + s->test->beta * (ends ? ends : 1);
    if (fabs(ramp.after - ramp.before) < 2 * s->test->floor || here >= *cost)
        return;
    *cost = here;
    *best = ramp;
}

/* All ends for one begin: within the last segment, and the end of the stretch. */
static void try_ends(const struct stairs *s, uint32_t from, size_t first, size_t last,
                     struct tk_trend_drift *best, double *cost)
{
    uint32_t a = begin_of(s, last), b = s->span.to - 3;
    for (uint32_t to = a; last > first && to < b; to += stride(a, b))
        try_ramp(s, from, to, best, cost);
    try_ramp(s, from, s->span.to, best, cost);
}

/* The best ramp over segments first .. last; its cost, or INFINITY. */
static double best_ramp(struct stairs *s, size_t first, size_t last, struct tk_trend_drift *best)
{
    double cost = INFINITY;
    s->span = (struct tk_trend_span){begin_of(s, first), end_of(s, last)};
    if (s->span.to < s->span.from + TK_TREND_RAMP)
        return cost;
    uint32_t a = s->span.from + 3, b = end_of(s, first) + 1;
    try_ends(s, s->span.from, first, last, best, &cost);
    for (uint32_t from = a; last > first && from < b; from += stride(a, b))
        try_ends(s, from, first, last, best, &cost);
    return cost;
}

static double stairs_cost(const struct stairs *s, size_t first, size_t last)
{
    double cost = s->test->beta * (double)(last - first);
    for (size_t i = first; i <= last; i++)
        cost += tk_trend_level_loss(s->c, begin_of(s, i), end_of(s, i), s->levels[i], s->bound);
    return last > first ? cost - MARGIN * s->test->beta : cost;
}

/* Marks the changes that stay in `keep`. */
static size_t replace_stairs(struct stairs *s, uint8_t *keep, struct tk_trend_drift *drifts)
{
    size_t found = 0;
    for (size_t first = 0, last; first <= s->n;) {
        last = top_of(s, first);
        if (best_ramp(s, first, last, &drifts[found]) < stairs_cost(s, first, last))
            found++;
        else
            for (size_t i = first; i < last; i++)
                keep[i] = 1;
        if (last == s->n)
            break;
        keep[last] |= s->fixed[last];
        first = s->fixed[last] ? last + 1 : last; /* a segment between two stairs belongs to both */
    }
    return found;
}

size_t tk_trend_drifts(const struct tk_trend_curve *c, uint32_t *nights, const uint8_t *fixed, size_t n,
                       const struct tk_trend_test *test, struct tk_trend_room *room,
                       struct tk_trend_drift *drifts, size_t *n_drifts)
{
    struct stairs s = {c, test, room, nights, fixed, n, room->calm, {0, 0}, TK_TREND_BOUND * test->beta};
    uint8_t *keep = room->best;
    size_t left = 0;
    for (size_t i = 0; i < n; i++)
        keep[i] = 0;
    find_levels(&s);
    *n_drifts = replace_stairs(&s, keep, drifts);
    for (size_t i = 0; i < n; i++)
        if (keep[i])
            nights[left++] = nights[i];
    return left;
}
