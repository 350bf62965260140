/*
 * From series to curves: what machines add and what all series of a class share is taken off, and the runs of
 * a night become one value.
 */
#include "base/arena.h"
#include "trend/trend_in.h"

#include <math.h>
#include <string.h>

enum tk_trend_class tk_trend_class_of(enum tk_history_kind kind)
{
    static const uint8_t classes[TK_HISTORY_KINDS] = {[TK_HISTORY_FRAME] = TK_TREND_CPU,
                                                      [TK_HISTORY_TIMER] = TK_TREND_CPU,
                                                      [TK_HISTORY_GPU] = TK_TREND_GPU,
                                                      [TK_HISTORY_LOADING] = TK_TREND_LOADING};
    return (enum tk_trend_class)classes[kind];
}

/* Middles of the runs of each night, of values by run. */
static void fold_nights(struct tk_trend_epoch *e, const double *v, double *z)
{
    for (uint32_t t = 0; t < e->h->nights; t++)
        z[t] = NAN;
    for (size_t i = 0; i < e->n_rows;) {
        uint32_t night = e->h->runs.v[e->rows[i]].night;
        size_t n = 0;
        for (; i < e->n_rows && e->h->runs.v[e->rows[i]].night == night; i++)
            if (!isnan(v[e->rows[i]]))
                e->space.left[n++] = v[e->rows[i]];
        if (n)
            z[night] = tk_robust_median(e->space.left, n);
    }
}

static double offset_of(const struct tk_trend_epoch *e, const double *offsets, uint32_t run)
{
    return offsets[e->machines->of_run[run]];
}

/* ---- what is shared ---- */

static int find_factor(struct tk_trend_epoch *e, enum tk_trend_class class)
{
    const double **x = tk_arena_alloc(&e->arena, e->h->series.n * sizeof *x);
    struct tk_trend_votes votes = {.rows = e->rows, .n_rows = e->n_rows};
    if (!x)
        return -1;
    votes.x = x;
    for (size_t s = 0; s < e->h->series.n; s++) {
        enum tk_history_kind kind = (enum tk_history_kind)e->h->series.v[s].kind;
        if (tk_trend_class_of(kind) == class && kind != TK_HISTORY_FRAME)
            x[votes.n++] = e->x[s];
    }
    return tk_trend_common_factor(&e->common[class], &votes, e->setup->floor, &e->space, &e->arena);
}

/* Takes off what machines add to it, and looks for its changes. */
static int find_shared(struct tk_trend_epoch *e, enum tk_trend_class class, double *shift)
{
    struct tk_trend_common *c = &e->common[class];
    memset(shift, 0, e->machines->n * sizeof *shift);
    if (class == TK_TREND_NONE)
        return 0;
    if (find_factor(e, class))
        return -1;
    if (!c->known)
        return 0;
    c->level = tk_arena_alloc(&e->arena, e->h->nights * sizeof *c->level);
    c->curve = (struct tk_trend_curve){.z = tk_arena_alloc(&e->arena, e->h->nights * sizeof *c->curve.z),
                                       .class = (uint8_t) class,
                                       .span = e->span};
    if (!c->level || !c->curve.z)
        return -1;
    tk_trend_offsets(e->machines, c->g, e->rows, e->n_rows, &e->space);
    memcpy(shift, e->machines->offsets, e->machines->n * sizeof *shift);
    for (size_t i = 0; i < e->n_rows; i++)
        c->g[e->rows[i]] -= offset_of(e, shift, e->rows[i]);
    fold_nights(e, c->g, c->curve.z);
    return tk_trend_common_changes(c, e->setup->alpha, e->setup->floor, &e->space, &e->arena);
}

/* ---- one series ---- */

/* Its own offsets: of what is left without g as it was before anything was taken off. */
static void take_machines(struct tk_trend_epoch *e, const struct tk_trend_common *c, const double *shift,
                          const double *x, double *flat)
{
    for (size_t i = 0; i < e->n_rows; i++) {
        uint32_t r = e->rows[i];
        flat[r] = c->known ? x[r] - (c->g[r] + offset_of(e, shift, r)) : x[r];
    }
    tk_trend_offsets(e->machines, flat, e->rows, e->n_rows, &e->space);
    for (size_t i = 0; i < e->n_rows; i++) {
        uint32_t r = e->rows[i];
        flat[r] = x[r] - offset_of(e, shift, r) - offset_of(e, e->machines->offsets, r);
    }
}

/* Steps of g are taken off in full, its swings as far as the series takes part in them. */
static void take_shared(struct tk_trend_epoch *e, const struct tk_trend_common *c, double *flat)
{
    double part = tk_trend_loading(flat, c->g, e->rows, e->n_rows, &e->space);
    for (size_t i = 0; i < e->n_rows; i++) {
        uint32_t r = e->rows[i];
        double level = c->level[e->h->runs.v[r].night];
        flat[r] -= level + part * (c->g[r] - level);
    }
}

/* Values that come in few levels, such as counts. */
static double find_grain(const struct tk_trend_curve *c, enum tk_history_kind kind,
                         struct tk_trend_space *space)
{
    struct tk_trend_side all = tk_trend_side_of(c->z, c->span.from, c->span.to, space->left);
    double least = INFINITY, last = 0;
    size_t levels = 0;
    for (size_t i = 0; i < all.n; i++)
        space->pairs[i] = (struct tk_robust_pair){all.v[i], 1};
    if (all.n < 2)
        return 0;
    (void)tk_robust_weighted_median(space->pairs, all.n); /* sorts them */
    for (size_t i = 0; i < all.n; i++) {
        double v = space->pairs[i].value;
        if (i && v == last)
            continue;
        least = levels++ ? fmin(least, v - last) : least;
        last = v;
    }
    if (levels < 2 || 3 * levels > all.n)
        return 0;
    if (kind != TK_HISTORY_COUNTER && kind != TK_HISTORY_METRIC)
        return levels > 2 ? least : 0;
    return log1p(1 / fmax(1, exp(tk_robust_median(all.v, all.n))));
}

static void find_noise(struct tk_trend_epoch *e, struct tk_trend_curve *c)
{
    if (c->series)
        c->grain = find_grain(c, (enum tk_history_kind)c->series->kind, &e->space);
    struct tk_trend_side all = tk_trend_side_of(c->z, c->span.from, c->span.to, e->space.left);
    c->sd = fmax(fmax(tk_robust_spread(all.v, all.n, e->space.sorted), e->setup->floor / 6), 0.5 * c->grain);
}

static int add_curve(struct tk_trend_epoch *e, size_t s, const double *shift, double *flat)
{
    const struct tk_history_series *series = &e->h->series.v[s];
    enum tk_trend_class class = tk_trend_class_of((enum tk_history_kind)series->kind);
    struct tk_trend_curve c = {.series = series, .class = (uint8_t) class, .span = e->span};
    take_machines(e, &e->common[class], shift, e->x[s], flat);
    if (e->common[class].known)
        take_shared(e, &e->common[class], flat);
    c.z = tk_arena_alloc(&e->arena, e->h->nights * sizeof *c.z);
    if (!c.z)
        return -1;
    fold_nights(e, flat, c.z);
    if (tk_trend_count(&c) < TK_TREND_LEAST)
        return 0;
    find_noise(e, &c);
    e->curves[e->n_curves++] = c;
    return 0;
}

int tk_trend_flatten(struct tk_trend_epoch *e)
{
    double *flat = tk_arena_alloc(&e->arena, e->h->runs.n * sizeof *flat), *shifts[TK_TREND_CLASSES];
    /* parents have at least one timer each */
    e->curves = tk_arena_alloc(&e->arena, 2 * e->h->series.n * sizeof *e->curves);
    if (!flat || !e->curves)
        return -1;
    for (int class = 0; class < TK_TREND_CLASSES; class ++) {
        shifts[class] = tk_arena_alloc(&e->arena, e->machines->n * sizeof(double));
        if (!shifts[class] || find_shared(e, (enum tk_trend_class) class, shifts[class]))
            return -1;
    }
    for (size_t s = 0; s < e->h->series.n; s++)
        if (add_curve(e, s, shifts[tk_trend_class_of((enum tk_history_kind)e->h->series.v[s].kind)], flat))
            return -1;
    e->n_series = e->n_curves;
    return 0;
}
