/*
 * Statistics of changes, pruning, places, and the dependence of nights.
 */
#include "compare/verdict/probability.h"
#include "trend/trend_in.h"

#include <math.h>
#include <string.h>

/*
 * Cuts a curve into levels by dynamic programming. F[k] is the least cost of all so far that ends on level k;
 * at each night the least of all plus a penalty is what a change to k costs. One mark for each night and
 * level records the way back.
 */

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

static size_t go_back(const struct grid *g, const struct tk_trend_space *space, size_t n, uint32_t *steps)
{
    unsigned k = cheapest(g);
    size_t found = 0;
    for (size_t i = n - 1; i > 0; i--)
        if (space->marks[i * TK_TREND_LEVELS + k]) {
            steps[found++] = space->nights[i];
            k = space->best[i];
        }
    for (size_t i = 0; i < found / 2; i++) {
        uint32_t night = steps[i];
        steps[i] = steps[found - 1 - i];
        steps[found - 1 - i] = night;
    }
    return found;
}

size_t tk_trend_segment(const struct tk_trend_curve *c, double beta, struct tk_trend_space *space)
{
    struct grid g;
    size_t n = 0;
    for (uint32_t t = c->span.from; t < c->span.to; t++)
        if (!isnan(c->z[t])) {
            space->nights[n] = t;
            space->values[n++] = c->z[t];
        }
    if (n < TK_TREND_NIGHTS)
        return 0;
    lay_grid(&g, space->values, n, c->sd);
    for (size_t i = 0; i < n; i++) {
        if (i) {
            space->best[i] = (uint8_t)cheapest(&g);
            allow_changes(&g, g.cost[space->best[i]] + beta, space->marks + i * TK_TREND_LEVELS);
        }
        add_night(&g, space->values[i], 1 / (c->sd * c->sd), TK_TREND_BOUND * beta);
    }
    return go_back(&g, space, n, space->steps);
}

#define BLOCK       5
#define FEW_BLOCKS  4
#define LEAST_P     1e-300
#define FLOOR_SCALE 100.0 /* what lacks of the floor against the logarithm of a chance */

static uint32_t begin_of(const struct tk_trend_curve *c, const uint32_t *nights, size_t i)
{
    return i ? nights[i - 1] : c->span.from;
}

static uint32_t end_of(const struct tk_trend_curve *c, const uint32_t *nights, size_t n, size_t i)
{
    return i + 1 < n ? nights[i + 1] : c->span.to;
}

static struct tk_trend_step judge_one(const struct tk_trend_curve *c, uint32_t a, uint32_t t, uint32_t b,
                                      double nu, struct tk_trend_space *space)
{
    struct tk_trend_step s = {.night = t, .p = 1, .order = 1, .low = t, .high = t};
    struct tk_trend_side left = tk_trend_side_of(c->z, a, t, space->left);
    struct tk_trend_side right = tk_trend_side_of(c->z, t, b, space->right);
    if (!left.n || !right.n)
        return s;
    s.before = tk_robust_centre(left.v, left.n, c->sd, space->sorted);
    s.after = tk_robust_centre(right.v, right.n, c->sd, space->sorted);
    s.size = s.after - s.before;
    s.se = c->sd * sqrt(c->phi * (1.0 / (double)left.n + 1.0 / (double)right.n));
    s.p = tk_probability_t(s.size / s.se, nu);
    s.order = tk_robust_order(left.v, left.n, right.v, right.n, s.before, s.after);
    return s;
}

void tk_trend_judge(const struct tk_trend_curve *c, const uint32_t *nights, size_t n,
                    const struct tk_trend_test *test, struct tk_trend_space *space, struct tk_trend_step *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = judge_one(c, begin_of(c, nights, i), nights[i], end_of(c, nights, n, i), test->nu, space);
}

/* By how much a change fails; not above 0: it holds. */
static double failing(const struct tk_trend_step *s, const struct tk_trend_test *test)
{
    double by_p = log(fmax(s->p, LEAST_P) / test->limit);
    double by_order = log(fmax(s->order, LEAST_P) / TK_TREND_ORDER);
    return fmax(fmax(by_p, by_order), FLOOR_SCALE * (test->floor - fabs(s->size)));
}

/* The one that fails most; n: all hold. */
static size_t weakest(const struct tk_trend_step *steps, size_t n, const struct tk_trend_test *test)
{
    size_t at = n;
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        double by = failing(&steps[i], test);
        if (by > most) {
            most = by;
            at = i;
        }
    }
    return at;
}

size_t tk_trend_prune(const struct tk_trend_curve *c, uint32_t *nights, size_t n,
                      const struct tk_trend_test *test, struct tk_trend_space *space,
                      struct tk_trend_step *out)
{
    tk_trend_judge(c, nights, n, test, space, out);
    for (size_t at; (at = weakest(out, n, test)) < n;) {
        memmove(nights + at, nights + at + 1, (n - at - 1) * sizeof *nights);
        memmove(out + at, out + at + 1, (n - at - 1) * sizeof *out);
        n--;
        for (size_t i = at ? at - 1 : 0; i < n && i <= at; i++) /* its neighbours have other sides now */
            out[i] =
                judge_one(c, begin_of(c, nights, i), nights[i], end_of(c, nights, n, i), test->nu, space);
    }
    return n;
}

/* ---- places ---- */

static double bounded(double value, double level, double sd, double bound)
{
    double e = (value - level) / sd;
    return e * e < bound ? e * e : bound;
}

static void place_one(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double bound,
                      struct tk_trend_step *s)
{
    const double limit = TK_TREND_WHERE * c->phi, *z = c->z;
    double more = 0;
    for (uint32_t t = s->night; t-- > a + 1;) {
        more +=
            isnan(z[t]) ? 0 : bounded(z[t], s->after, c->sd, bound) - bounded(z[t], s->before, c->sd, bound);
        s->low = more <= limit ? t : s->low;
    }
    more = 0;
    for (uint32_t t = s->night; t + 1 < b; t++) {
        more +=
            isnan(z[t]) ? 0 : bounded(z[t], s->before, c->sd, bound) - bounded(z[t], s->after, c->sd, bound);
        s->high = more <= limit ? t + 1 : s->high;
    }
}

void tk_trend_place(const struct tk_trend_curve *c, struct tk_trend_step *steps, size_t n,
                    const struct tk_trend_test *test)
{
    for (size_t i = 0; i < n; i++)
        place_one(c, i ? steps[i - 1].night : c->span.from, i + 1 < n ? steps[i + 1].night : c->span.to,
                  TK_TREND_BOUND * test->beta, &steps[i]);
}

/* ---- dependence ---- */

struct blocks {
    size_t n;
    double singles, means; /* sums of squares */
};

static void add_blocks(struct blocks *b, const struct tk_trend_side *s, double sd, double *space)
{
    double centre = tk_robust_centre(s->v, s->n, sd, space);
    for (size_t i = 0; i + BLOCK <= s->n; i += BLOCK, b->n++) {
        double sum = 0;
        for (size_t k = i; k < i + BLOCK; k++) {
            double rest = fmax(-3, fmin(3, (s->v[k] - centre) / sd));
            sum += rest;
            b->singles += rest * rest;
        }
        b->means += sum / BLOCK * (sum / BLOCK);
    }
}

struct tk_trend_dependence tk_trend_depends(const struct tk_trend_curve *c, const uint32_t *nights, size_t n,
                                            struct tk_trend_space *space)
{
    struct blocks all = {0};
    for (size_t i = 0; i <= n; i++) {
        uint32_t a = begin_of(c, nights, i), b = i < n ? nights[i] : c->span.to;
        struct tk_trend_side s = tk_trend_side_of(c->z, a, b, space->left);
        if (s.n)
            add_blocks(&all, &s, c->sd, space->sorted);
    }
    if (all.n < FEW_BLOCKS || !(all.singles > 0))
        return (struct tk_trend_dependence){0};
    double single = all.singles / (double)(BLOCK * all.n), mean = all.means / (double)all.n;
    return (struct tk_trend_dependence){BLOCK * mean / single, all.n, sqrt(single)};
}
