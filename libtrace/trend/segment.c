/*
 * Cuts a curve into levels by dynamic programming. F[k] is the least cost of all so far that ends on level k;
 * at each night the least of all plus a penalty is what a change to k costs. One mark for each night and
 * level records the way back. See segment.h.
 */
#include "trend/segment.h"

#include <math.h>
#include <string.h>

#define GRID     4.0 /* levels in a standard deviation */
#define ROUNDING 1e-9

struct grid {
    double levels[TK_TREND_LEVELS], cost[TK_TREND_LEVELS];
    unsigned n;
};

static double middle_of_three(const double *v, size_t n, size_t i)
{
    double three[3];
    size_t from = i ? i - 1 : 0, to = i + 2 < n ? i + 2 : n;
    memcpy(three, v + from, (to - from) * sizeof *three);
    return tk_robust_median(three, to - from);
}

/* Levels over the range of the running median, so that single values beyond it need none. */
static void lay_grid(struct grid *g, const double *v, size_t n, double sd)
{
    double low = INFINITY, high = -INFINITY, step;
    for (size_t i = 0; i < n; i++) {
        double calm = middle_of_three(v, n, i);
        low = calm < low ? calm : low;
        high = calm > high ? calm : high;
    }
    low -= 0.5 * sd;
    high += 0.5 * sd;
    step = fmax(sd / GRID, (high - low) / (TK_TREND_LEVELS - 1));
    g->n = (unsigned)((high - low) / step) + 1;
    g->n = g->n < TK_TREND_LEVELS ? g->n : TK_TREND_LEVELS;
    for (unsigned k = 0; k < g->n; k++) {
        g->levels[k] = low + step * k;
        g->cost[k] = 0;
    }
}

static unsigned cheapest(const struct grid *g)
{
    unsigned at = 0;
    for (unsigned k = 1; k < g->n; k++)
        at = g->cost[k] < g->cost[at] ? k : at;
    return at;
}

/* What costs more than the cheapest and a change comes from there: marks which. Of two nights at which a
 * change costs the same, as where a value between them is far off, the first is taken, whatever was rounded.
 */
static void allow_changes(struct grid *g, double limit, uint8_t *marks)
{
    for (unsigned k = 0; k < g->n; k++) {
        marks[k] = g->cost[k] > limit * (1 + ROUNDING);
        g->cost[k] = marks[k] ? limit : g->cost[k];
    }
}

static void add_night(struct grid *g, double value, double inverse, double bound)
{
    for (unsigned k = 0; k < g->n; k++) {
        double e = value - g->levels[k];
        e = e * e * inverse;
        g->cost[k] += e < bound ? e : bound;
    }
}

static size_t go_back(const struct grid *g, const struct tk_trend_room *room, size_t n, uint32_t *steps)
{
    unsigned k = cheapest(g);
    size_t found = 0;
    for (size_t i = n - 1; i > 0; i--)
        if (room->marks[i * TK_TREND_LEVELS + k]) {
            steps[found++] = room->nights[i];
            k = room->best[i];
        }
    for (size_t i = 0; i < found / 2; i++) {
        uint32_t night = steps[i];
        steps[i] = steps[found - 1 - i];
        steps[found - 1 - i] = night;
    }
    return found;
}

size_t tk_trend_segment(const struct tk_trend_curve *c, double beta, struct tk_trend_room *room)
{
    struct grid g;
    size_t n = 0;
    for (uint32_t t = c->span.from; t < c->span.to; t++)
        if (!isnan(c->z[t])) {
            room->nights[n] = t;
            room->values[n++] = c->z[t];
        }
    if (n < TK_TREND_NIGHTS)
        return 0;
    lay_grid(&g, room->values, n, c->sd);
    for (size_t i = 0; i < n; i++) {
        if (i) {
            room->best[i] = (uint8_t)cheapest(&g);
            allow_changes(&g, g.cost[room->best[i]] + beta, room->marks + i * TK_TREND_LEVELS);
        }
        add_night(&g, room->values[i], 1 / (c->sd * c->sd), TK_TREND_BOUND * beta);
    }
    return go_back(&g, room, n, room->steps);
}
