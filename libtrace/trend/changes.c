/*
 * Finds the changes of every curve of an epoch: how its nights hang together, its segments, what of them
 * holds, and drifts in place of stairs.
 */
#include "base/arena.h"
#include "compare/verdict/probability.h"
#include "trend/trend_in.h"

#include <math.h>
#include <string.h>

/*
 * The newest nights of a series of a long history: a change that is likely, but not sure yet, and runs that
 * are worth repeating.
 */

#define BLOCK 3u /* nights */

/* Changes of the newest three nights as a block: the number of series counts, that of nights does not.
 * 1: reported. */
static int probable(struct tk_trend_epoch *e, size_t curve)
{
    const struct tk_trend_curve *c = &e->curves[curve];
    uint32_t from = e->last[curve], to = e->span.to;
    if (to < from + BLOCK + 1)
        return 0;
    struct tk_trend_side left = tk_trend_side_of(c->z, from, to - BLOCK, e->space.left);
    struct tk_trend_side right = tk_trend_side_of(c->z, to - BLOCK, to, e->space.right);
    if (left.n < TK_TREND_NIGHTS || right.n != BLOCK)
        return 0;
    double before = tk_robust_centre(left.v, left.n, c->sd, e->space.sorted);
    double after = tk_robust_centre(right.v, right.n, c->sd, e->space.sorted);
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
static double usual_distance(const struct tk_trend_side *s, double middle, struct tk_robust_pair *space)
{
    for (size_t i = 0; i < s->n; i++)
        space[i] = (struct tk_robust_pair){fabs(s->v[i] - middle), 1};
    (void)tk_robust_weighted_median(space, s->n); /* sorts them */
    return space[(size_t)(0.95 * (double)s->n) - 1].value;
}

/* The last night, or the last two, far from all before: no change yet, but worth another run. */
static int suspect(struct tk_trend_epoch *e, size_t curve)
{
    const struct tk_trend_curve *c = &e->curves[curve];
    struct tk_trend_side all = tk_trend_side_of(c->z, e->last[curve], e->span.to, e->space.left);
    uint32_t last[2], n = 0;
    if (all.n < TK_TREND_NIGHTS + 2)
        return 0;
    for (uint32_t t = e->span.to; n < 2; t--)
        if (!isnan(c->z[t - 1]))
            last[n++] = t - 1;
    struct tk_trend_side before = {all.v, all.n - 2};
    double middle = tk_robust_centre(before.v, before.n, c->sd, e->space.sorted);
    double far = fmax(sqrt(e->quantile2 * c->phi) * c->sd, e->setup->floor);
    far = fmax(far, 2 * usual_distance(&before, middle, e->space.pairs));
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

static int look_at_newest(struct tk_trend_epoch *e, size_t curve)
{
    int reported = probable(e, curve);
    return reported ? (reported < 0 ? -1 : 0) : suspect(e, curve);
}

#define FIRST_PHI   1.5 /* before it is known, and of classes with few series */
#define MARGIN      1.1 /* on that of a class */
#define FEW         5u  /* series of a class */
#define LEAST_RATIO 0.3
#define MOST_WIDTH  1.3
#define NEAR_COMMON 2u /* nights */

/* ---- how nights hang together ---- */

struct dependence {
    struct tk_trend_dependence *of;     /* by curve */
    double class_phi[TK_TREND_CLASSES]; /* of all curves of a class */
};

static void pool_class(struct tk_trend_epoch *e, struct dependence *d, enum tk_trend_class class)
{
    size_t n = 0;
    for (size_t i = 0; i < e->n_curves; i++)
        if (e->curves[i].class == class && d->of[i].blocks)
            e->space.sorted[n++] = d->of[i].ratio;
    d->class_phi[class] = n >= FEW ? fmax(1, MARGIN * tk_robust_median(e->space.sorted, n)) : FIRST_PHI;
}

static void settle_noise(struct tk_trend_curve *c, const struct tk_trend_dependence *d, double class_phi)
{
    c->phi = class_phi;
    if (!d->blocks)
        return;
    double weight = (double)d->blocks / ((double)d->blocks + 10);
    c->phi = fmax(1, class_phi * pow(fmax(LEAST_RATIO, d->ratio) / class_phi, weight));
    c->sd *= fmin(MOST_WIDTH, fmax(1, d->width));
}

static int find_dependence(struct tk_trend_epoch *e)
{
    struct dependence d = {.of = tk_arena_alloc(&e->arena, e->n_curves * sizeof *d.of)};
    if (!d.of)
        return -1;
    for (size_t i = 0; i < e->n_curves; i++) {
        size_t n = tk_trend_segment(&e->curves[i], FIRST_PHI * e->quantile2, &e->space);
        d.of[i] = tk_trend_depends(&e->curves[i], e->space.steps, n, &e->space);
    }
    for (int class = 0; class < TK_TREND_CLASSES; class ++)
        pool_class(e, &d, (enum tk_trend_class) class);
    for (size_t i = 0; i < e->n_curves; i++)
        settle_noise(&e->curves[i], &d.of[i], d.class_phi[e->curves[i].class]);
    return 0;
}

/* ---- changes ---- */

/* What one curve is looked through with. */
struct looker {
    struct tk_trend_epoch *e;
    const struct tk_trend_curve *c;
    const struct tk_trend_common *common;
    struct tk_trend_test test;
    uint32_t *nights, *left; /* the changes, and those that no drift replaces */
    uint8_t *fixed;
    struct tk_trend_drift *drifts;
    size_t n, n_left, n_drifts;
};

static bool is_near_common(const struct looker *l, uint32_t night)
{
    for (size_t i = 0; i < l->common->n; i++)
        if (night + NEAR_COMMON >= l->common->steps[i].low && night <= l->common->steps[i].high + NEAR_COMMON)
            return true;
    return false;
}

static bool holds_common(const struct looker *l, const struct tk_trend_drift *d)
{
    for (size_t i = 0; i < l->common->n; i++)
        if (d->from < l->common->steps[i].night && l->common->steps[i].night < d->to)
            return true;
    return false;
}

/* No drift across a common change; without drifts all changes stay. */
static void find_drifts(struct looker *l)
{
    size_t good = 0;
    for (size_t i = 0; i < l->n; i++)
        l->fixed[i] = is_near_common(l, l->nights[i]);
    memcpy(l->left, l->nights, l->n * sizeof *l->left);
    l->n_left =
        tk_trend_drifts(l->c, l->left, l->fixed, l->n, &l->test, &l->e->space, l->drifts, &l->n_drifts);
    for (size_t i = 0; i < l->n_drifts; i++)
        if (!holds_common(l, &l->drifts[i]))
            l->drifts[good++] = l->drifts[i];
    l->n_drifts = good;
    if (good == 0) {
        memcpy(l->left, l->nights, l->n * sizeof *l->left);
        l->n_left = l->n;
    }
}

static int put_drifts(const struct looker *l)
{
    for (size_t i = 0; i < l->n_drifts; i++) {
        const struct tk_trend_drift *d = &l->drifts[i];
        struct tk_trend_event event = tk_trend_event_of(l->e, (size_t)(l->c - l->e->curves));
        event.kind = TK_TREND_DRIFT;
        event.night = event.low = d->from;
        event.high = event.until = d->to;
        event.size = d->after - d->before;
        if (tk_trend_put(l->e, &event))
            return -1;
    }
    return 0;
}

static int put_steps(const struct looker *l)
{
    struct tk_trend_step *steps = l->e->space.judged;
    const double tests = (double)l->e->n_curves * (l->e->span.to - l->e->span.from);
    uint32_t curve = (uint32_t)(l->c - l->e->curves);
    tk_trend_judge(l->c, l->left, l->n_left, &l->test, &l->e->space, steps);
    tk_trend_place(l->c, steps, l->n_left, &l->test);
    for (size_t i = 0; i < l->n_left; i++) {
        struct tk_trend_change change = {curve, steps[i], steps[i].night};
        change.step.p = fmin(1, change.step.p * tests);
        if (tk_vec_push(&l->e->changes, change))
            return -1;
    }
    l->e->last[curve] = l->n_left ? l->left[l->n_left - 1] : l->e->span.from;
    return 0;
}

static int look(struct looker *l, size_t curve)
{
    struct tk_trend_epoch *e = l->e;
    l->c = &e->curves[curve];
    l->common = &e->common[l->c->class];
    l->test = (struct tk_trend_test){.beta = e->quantile2 * l->c->phi,
                                     .nu = e->nu,
                                     .limit = e->limit,
                                     .floor = fmax(e->setup->floor, 0.9 * l->c->grain)};
    l->n = tk_trend_segment(l->c, l->test.beta, &e->space);
    l->n = tk_trend_prune(l->c, e->space.steps, l->n, &l->test, &e->space, e->space.judged);
    memcpy(l->nights, e->space.steps, l->n * sizeof *l->nights);
    l->test.floor = e->setup->floor;
    find_drifts(l);
    if (put_drifts(l) || put_steps(l))
        return -1;
    return l->c->series && e->span.to - e->span.from >= TK_TREND_LONG ? look_at_newest(e, curve) : 0;
}

int tk_trend_changes(struct tk_trend_epoch *e)
{
    const size_t n = e->space.n;
    const double nights = e->span.to - e->span.from;
    struct looker l = {.e = e,
                       .nights = tk_arena_alloc(&e->arena, n * sizeof *l.nights),
                       .left = tk_arena_alloc(&e->arena, n * sizeof *l.left),
                       .fixed = tk_arena_alloc(&e->arena, n),
                       .drifts = tk_arena_alloc(&e->arena, (n + 1) * sizeof *l.drifts)};
    e->last = tk_arena_alloc(&e->arena, e->n_curves * sizeof *e->last);
    if (e->arena.failed)
        return -1;
    e->limit = e->setup->alpha / (nights * (double)e->n_curves);
    e->nu = fmax(4, 0.4 * (nights - 2) + 8);
    double quantile = tk_probability_t_limit(e->limit, e->nu);
    e->quantile2 = quantile * quantile;
    if (find_dependence(e))
        return -1;
    for (size_t i = 0; i < e->n_curves; i++)
        if (look(&l, i))
            return -1;
    return 0;
}
