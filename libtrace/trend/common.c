/*
 * The common factor by a median polish whose last rounds weigh with biweights: x[s][r] = c[s] + g[r] + rest.
 * common_changes.c looks for its changes.
 */
#include "base/arena.h"
#include "compare/verdict/probability.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Changes of the level of the common factor: "everything is slower". It is a series with noise of its own,
 * whose nights hang together more than those of others.
 */

#define LEAST_PHI 2.5
#define MOST_PHI  6.0
#define CLASSES   3.0 /* that are tested */

static double square(double v)
{
    return v * v;
}

/* Finds out how nights of the curve hang together; space->steps are its segments then. */
static size_t cut_common(struct tk_trend_curve *z, double quantile2, double *beta,
                         struct tk_trend_space *space)
{
    z->phi = LEAST_PHI;
    for (int turn = 0; turn < 2; turn++) {
        size_t n = tk_trend_segment(z, quantile2 * z->phi, space);
        struct tk_trend_dependence d = tk_trend_depends(z, space->steps, n, space);
        z->phi = d.blocks ? fmin(MOST_PHI, fmax(LEAST_PHI, d.ratio)) : LEAST_PHI;
    }
    *beta = quantile2 * z->phi;
    return tk_trend_segment(z, *beta, space);
}

static void fill_level(struct tk_trend_common *c, struct tk_trend_space *space)
{
    const struct tk_trend_span *span = &c->curve.span;
    for (size_t i = 0; i <= c->n; i++) {
        uint32_t a = i ? c->steps[i - 1].night : span->from, b = i < c->n ? c->steps[i].night : span->to;
        struct tk_trend_side side = tk_trend_side_of(c->curve.z, a, b, space->left);
        double level = side.n ? tk_robust_centre(side.v, side.n, c->curve.sd, space->sorted) : 0;
        for (uint32_t t = a; t < b; t++)
            c->level[t] = level;
    }
}

int tk_trend_common_changes(struct tk_trend_common *c, double alpha, double floor,
                            struct tk_trend_space *space, struct tk_arena *arena)
{
    struct tk_trend_curve *z = &c->curve;
    uint32_t nights = z->span.to - z->span.from;
    struct tk_trend_test test = {.floor = 2 * floor, .limit = alpha / (CLASSES * nights)};
    struct tk_trend_side all = tk_trend_side_of(z->z, z->span.from, z->span.to, space->left);
    test.nu = fmax(4, 0.4 * ((double)nights - 2));
    z->sd = fmax(tk_robust_spread(all.v, all.n, space->sorted), floor / 6);
    size_t n = cut_common(z, square(tk_probability_t_limit(test.limit, test.nu)), &test.beta, space);
    n = tk_trend_prune(z, space->steps, n, &test, space, space->judged);
    tk_trend_place(z, space->judged, n, &test);
    c->steps = tk_arena_alloc(arena, n * sizeof *c->steps);
    if (!c->steps)
        return -1;
    memcpy(c->steps, space->judged, n * sizeof *c->steps);
    c->n = n;
    for (size_t i = 0; i < n; i++)
        c->steps[i].p = fmin(1, c->steps[i].p * CLASSES * nights);
    fill_level(c, space);
    return 0;
}

#define ROUNDS 5
#define ROBUST 2    /* rounds before those with biweights */
#define LEAST  8u   /* series that a class needs */
#define MOST   400u /* that have a vote */
#define REACH  4.5  /* of the biweights, in sd */
#define STEPS  5    /* of the biweight mean */

struct voter {
    double sd, centre;
    const double *x;
    uint32_t number;
};

struct polish {
    struct voter *v;
    size_t n;
    const struct tk_trend_votes *votes;
    double *g, typical, floor;
    struct tk_trend_space *space;
};

static int by_noise(const void *a, const void *b)
{
    const struct voter *x = a, *y = b;
    if (x->sd != y->sd)
        return x->sd < y->sd ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Its values less g, in order of time, to space->left. */
static size_t rest_of(const struct polish *p, const double *x)
{
    size_t n = 0;
    for (size_t i = 0; i < p->votes->n_rows; i++) {
        uint32_t r = p->votes->rows[i];
        if (!isnan(x[r]))
            p->space->left[n++] = x[r] - p->g[r];
    }
    return n;
}

/* Those that are in half of the runs, the quietest first. */
static void choose_voters(struct polish *p)
{
    for (size_t s = 0; s < p->votes->n; s++) {
        size_t n = rest_of(p, p->votes->x[s]);
        if (n < 4 || 2 * n < p->votes->n_rows)
            continue;
        double sd = tk_robust_spread(p->space->left, n, p->space->sorted);
        p->v[p->n++] = (struct voter){fmax(sd, p->floor / 6), 0, p->votes->x[s], (uint32_t)s};
    }
    qsort(p->v, p->n, sizeof *p->v, by_noise);
    p->n = p->n < MOST ? p->n : MOST;
}

/* Their own noise, now that the shared one is known. */
static void measure_again(struct polish *p)
{
    for (size_t i = 0; i < p->n; i++) {
        size_t n = rest_of(p, p->v[i].x);
        p->v[i].sd = fmax(tk_robust_spread(p->space->left, n, p->space->sorted), p->floor / 6);
    }
    for (size_t i = 0; i < p->n; i++)
        p->space->sorted[i] = p->v[i].sd;
    p->typical = tk_robust_median(p->space->sorted, p->n);
}

static double vote(struct polish *p, uint32_t run)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!isnan(p->v[i].x[run]))
            p->space->pairs[n++] =
                (struct tk_robust_pair){p->v[i].x[run] - p->v[i].centre, 1 / fmax(p->v[i].sd, p->typical)};
    return n ? tk_robust_weighted_median(p->space->pairs, n) : p->g[run];
}

/* A group that moves apart does not count, unless it is the larger part. */
static double biweight(const struct polish *p, uint32_t run)
{
    double at = p->g[run];
    for (int step = 0; step < STEPS; step++) {
        double sum = 0, weights = 0;
        for (size_t i = 0; i < p->n; i++) {
            double v = p->v[i].x[run] - p->v[i].centre, u = (v - at) / (REACH * p->v[i].sd);
            double noise = fmax(p->v[i].sd, p->typical);
            if (u > -1 && u < 1) { /* not of NAN */
                double w = (1 - u * u) * (1 - u * u) / (noise * noise);
                sum += w * v;
                weights += w;
            }
        }
        if (weights <= 0)
            break;
        at = sum / weights;
    }
    return at;
}

static void polish(struct polish *p)
{
    p->typical = p->v[p->n / 2].sd; /* quiet series have no more say than that */
    for (int turn = 0; turn < ROUNDS; turn++) {
        for (size_t i = 0; i < p->n; i++) {
            size_t n = rest_of(p, p->v[i].x);
            p->v[i].centre = tk_robust_median(p->space->left, n);
        }
        if (turn == ROBUST)
            measure_again(p);
        for (size_t i = 0; i < p->votes->n_rows; i++) {
            uint32_t r = p->votes->rows[i];
            p->g[r] = turn < ROBUST ? vote(p, r) : biweight(p, r);
        }
    }
}

int tk_trend_common_factor(struct tk_trend_common *c, const struct tk_trend_votes *votes, double floor,
                           struct tk_trend_space *space, struct tk_arena *arena)
{
    struct polish p = {.votes = votes, .floor = floor, .space = space};
    c->known = false;
    c->g = tk_arena_alloc(arena, space->n * sizeof *c->g);
    p.v = tk_arena_alloc(arena, votes->n * sizeof *p.v);
    if (!c->g || !p.v)
        return -1;
    p.g = c->g;
    for (size_t r = 0; r < space->n; r++)
        c->g[r] = 0;
    choose_voters(&p);
    if (p.n < LEAST)
        return 0;
    polish(&p);
    c->known = true;
    return 0;
}

double tk_trend_loading(const double *v, const double *g, const uint32_t *rows, size_t n,
                        struct tk_trend_space *space)
{
    size_t pairs = 0, rests = 0;
    double swings = 0;
    for (size_t i = 0, last = SIZE_MAX; i < n; i++) {
        if (isnan(v[rows[i]]))
            continue;
        if (last != SIZE_MAX) {
            double dv = v[rows[i]] - v[rows[last]], dg = g[rows[i]] - g[rows[last]];
            space->left[rests] = dv;
            space->right[rests++] = dg;
            if (fabs(dg) > 1e-9) {
                space->pairs[pairs++] = (struct tk_robust_pair){dv / dg, fabs(dg)};
                swings += dg * dg;
            }
        }
        last = i;
    }
    if (pairs < LEAST)
        return 1;
    double b = tk_robust_weighted_median(space->pairs, pairs);
    for (size_t i = 0; i < rests; i++)
        space->left[i] = fabs(space->left[i] - b * space->right[i]);
    double sd = 1.4826 * tk_robust_median(space->left, rests);
    double w = 0.09 / (0.09 + 1.57 * sd * sd / swings);
    return fmin(2, fmax(0, 1 + w * (b - 1)));
}
