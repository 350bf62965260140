/*
 * Tries ramps with about ten places for each end where the segments make stairs.
 */
#include "base/arena.h"
#include "trend/curve.h"
#include "trend/trend_in.h"

#include <math.h>

#define TK_TREND_RAMP 14u /* nights of the shortest */

/*
 * A ramp laid through some nights of a curve, and what it leaves.
 */

/* ---- what is left ---- */

/* Of the line level + slope * night. */
static double line_loss(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double level, double slope,
                        double bound)
{
    double sum = 0;
    for (uint32_t t = a; t < b; t++)
        if (!isnan(c->z[t])) {
            double e = (c->z[t] - level - slope * t) / c->sd;
            sum += e * e < bound ? e * e : bound;
        }
    return sum;
}

static double tk_trend_level_loss(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double level,
                                  double bound)
{
    return line_loss(c, a, b, level, 0, bound);
}

/* Bounded squares of what the ramp leaves of the nights of `span`, and of what a level leaves. */
static double tk_trend_ramp_loss(const struct tk_trend_curve *c, const struct tk_trend_span *span,
                                 const struct tk_trend_drift *ramp, double bound)
{
    double slope = (ramp->after - ramp->before) / (ramp->to - ramp->from);
    return line_loss(c, span->from, ramp->from, ramp->before, 0, bound) +
           line_loss(c, ramp->from, ramp->to, ramp->before - slope * ramp->from, slope, bound) +
           line_loss(c, ramp->to, span->to, ramp->after, 0, bound);
}

/* ---- the line ---- */

struct line {
    double level, slope;
};

struct point_list {
    double *t, *v;
    size_t n;
};

static double middle_of(const double *v, size_t n, double *space)
{
    for (size_t i = 0; i < n; i++)
        space[i] = v[i];
    return tk_robust_median(space, n);
}

/* From the middles of the first and the last third. */
static struct line first_guess(const struct point_list *p, double *space)
{
    struct line l = {0};
    size_t third = p->n / 3 > 2 ? p->n / 3 : 2, last = p->n - third;
    double ta = middle_of(p->t, third, space), tb = middle_of(p->t + last, third, space);
    double va = middle_of(p->v, third, space), vb = middle_of(p->v + last, third, space);
    l.slope = tb > ta ? (vb - va) / (tb - ta) : 0;
    for (size_t i = 0; i < p->n; i++)
        space[i] = p->v[i] - l.slope * p->t[i];
    l.level = tk_robust_median(space, p->n);
    return l;
}

/* One round of least squares; false: the points lie at one night. */
static bool refine(struct line *l, const struct point_list *p, double sd)
{
    double sw = 0, st = 0, sv = 0, stt = 0, stv = 0;
    for (size_t i = 0; i < p->n; i++) {
        double t = p->t[i], v = p->v[i], u = fabs(v - l->level - l->slope * t) / (3 * sd);
        double w = u <= 1 ? 1 : 1 / (u * u);
        sw += w;
        st += w * t;
        sv += w * v;
        stt += w * t * t;
        stv += w * t * v;
    }
    double det = sw * stt - st * st;
    if (det <= 0)
        return false;
    l->slope = (sw * stv - st * sv) / det;
    l->level = (sv - l->slope * st) / sw;
    return true;
}

/* ---- the ramp ---- */

static double level_extra(const struct tk_trend_curve *c, uint32_t a, uint32_t b, double otherwise,
                          struct tk_trend_space *space)
{
    struct tk_trend_side side = tk_trend_side_of(c->z, a, b, space->left);
    return side.n ? tk_robust_centre(side.v, side.n, c->sd, space->sorted) : otherwise;
}

/* Values at both ends of a robust line through the nights of the ramp, or the levels alongside it where there
 * are nights of `span` before or behind. false: too few nights have a value. */
static bool tk_trend_ramp_fit(const struct tk_trend_curve *c, const struct tk_trend_span *span,
                              struct tk_trend_drift *ramp, struct tk_trend_space *space)
{
    struct point_list p = {space->left, space->right, 0};
    for (uint32_t t = ramp->from; t < ramp->to; t++)
        if (!isnan(c->z[t])) {
            p.t[p.n] = t;
            p.v[p.n++] = c->z[t];
        }
    if (p.n < TK_TREND_RAMP / 2)
        return false;
    struct line l = first_guess(&p, space->sorted);
    for (int turn = 0; turn < 3 && refine(&l, &p, c->sd); turn++)
        continue;
    ramp->before = level_extra(c, span->from, ramp->from, l.level + l.slope * ramp->from, space);
    ramp->after = level_extra(c, ramp->to, span->to, l.level + l.slope * ramp->to, space);
    return true;
}

/*
 * Values of stretches of a curve, and the arrays in which they are worked on.
 */

static void *array(struct tk_arena *arena, size_t n, size_t size)
{
    return n && size > SIZE_MAX / n ? NULL : tk_arena_alloc(arena, n * size);
}

int tk_trend_space(struct tk_trend_space *space, struct tk_arena *arena, size_t n, size_t m)
{
    size_t pairs = n > m ? n : m;
    *space = (struct tk_trend_space){.n = n};
    space->left = array(arena, n, sizeof *space->left);
    space->right = array(arena, n, sizeof *space->right);
    space->sorted = array(arena, pairs, sizeof *space->sorted);
    space->values = array(arena, n, sizeof *space->values);
    space->calm = array(arena, n, sizeof *space->calm);
    space->pairs = array(arena, pairs, sizeof *space->pairs);
    space->nights = array(arena, n, sizeof *space->nights);
    space->marks = array(arena, n, TK_TREND_LEVELS);
    space->best = array(arena, n, 1);
    space->steps = array(arena, n, sizeof *space->steps);
    space->judged = array(arena, n, sizeof *space->judged);
    return arena->failed ? -1 : 0;
}

struct tk_trend_side tk_trend_side_of(const double *z, uint32_t a, uint32_t b, double *to)
{
    struct tk_trend_side side = {.v = to};
    for (uint32_t t = a; t < b; t++)
        if (!isnan(z[t]))
            to[side.n++] = z[t];
    return side;
}

size_t tk_trend_count(const struct tk_trend_curve *c)
{
    size_t n = 0;
    for (uint32_t t = c->span.from; t < c->span.to; t++)
        n += isnan(c->z[t]) ? 0 : 1;
    return n;
}

double tk_trend_middle(const struct tk_trend_curve *c, struct tk_trend_space *space)
{
    struct tk_trend_side all = tk_trend_side_of(c->z, c->span.from, c->span.to, space->left);
    return all.n ? tk_robust_median(all.v, all.n) : NAN;
}

#define PLACES 10  /* of an end of a ramp */
#define MARGIN 0.2 /* by how much of the penalty a ramp must be better than stairs */

struct stairs {
    const struct tk_trend_curve *c;
    const struct tk_trend_test *test;
    struct tk_trend_space *space;
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
        struct tk_trend_side side = tk_trend_side_of(s->c->z, begin_of(s, i), end_of(s, i), s->space->left);
        s->levels[i] = side.n ? tk_robust_centre(side.v, side.n, s->c->sd, s->space->sorted) : 0;
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
    if (to < from + TK_TREND_RAMP || !tk_trend_ramp_fit(s->c, &s->span, &ramp, s->space))
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
                       const struct tk_trend_test *test, struct tk_trend_space *space,
                       struct tk_trend_drift *drifts, size_t *n_drifts)
{
    struct stairs s = {c, test, space, nights, fixed, n, space->calm, {0, 0}, TK_TREND_BOUND * test->beta};
    uint8_t *keep = space->best;
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
