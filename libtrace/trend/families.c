/*
 * What the timers of one parent share: a curve more for each parent, which finds what is too small in each
 * of them. See epoch.h.
 */
#include "base/arena.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "trend/epoch.h"

#include <math.h>

#define LEAST 4u /* timers of a parent */

/* A tested series with a parent. */
struct child {
    const struct tk_str *parent;
    uint32_t curve;
    double middle;
};

static int by_parent(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    return tk_str_order(x->parent, y->parent);
}

static double shared_value(struct tk_trend_epoch *e, const struct child *c, size_t n, uint32_t night)
{
    size_t have = 0;
    for (size_t i = 0; i < n; i++) {
        const struct tk_trend_curve *curve = &e->curves[c[i].curve];
        if (!isnan(curve->z[night]))
            e->room.pairs[have++] = (struct tk_robust_pair){curve->z[night] - c[i].middle, 1 / curve->sd};
    }
    return have >= LEAST ? tk_robust_weighted_median(e->room.pairs, have) : NAN;
}

static int add_family(struct tk_trend_epoch *e, struct child *c, size_t n)
{
    const struct tk_trend_curve *first = &e->curves[c[0].curve];
    struct tk_trend_curve f = {.parent = c[0].parent, .class = first->class, .span = e->span};
    f.z = tk_arena_alloc(&e->arena, e->h->nights * sizeof *f.z);
    if (!f.z)
        return -1;
    for (size_t i = 0; i < n; i++)
        c[i].middle = tk_trend_middle(&e->curves[c[i].curve], &e->room);
    for (uint32_t t = 0; t < e->h->nights; t++)
        f.z[t] = t >= e->span.from && t < e->span.to ? shared_value(e, c, n, t) : NAN;
    if (tk_trend_count(&f) < TK_TREND_NIGHTS)
        return 0;
    struct tk_trend_side all = tk_trend_side_of(f.z, e->span.from, e->span.to, e->room.left);
    f.sd = fmax(tk_robust_spread(all.v, all.n, e->room.sorted), e->setup->floor / 6);
    e->curves[e->n_curves++] = f;
    return 0;
}

int tk_trend_families(struct tk_trend_epoch *e)
{
    struct child *c = tk_arena_alloc(&e->arena, e->n_series * sizeof *c);
    size_t n = 0;
    if (!c)
        return -1;
    for (uint32_t i = 0; i < e->n_series; i++)
        if (e->curves[i].series->parent->n)
            c[n++] = (struct child){e->curves[i].series->parent, i, 0};
    if (tk_sort(c, n, sizeof *c, by_parent))
        return -1;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && c[end].parent == c[i].parent; end++)
            continue;
        if (end - i >= LEAST && add_family(e, c + i, end - i))
            return -1;
    }
    return 0;
}
