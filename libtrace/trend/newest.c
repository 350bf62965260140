/*
 * One test of the newest nights of each series, for histories of four nights and more: those since its last
 * change, 20 at most, are split in two at every night, and the difference of the sides is compared with what
 * all series show of how nights vary (compare/verdict/spreads.h). A step with three nights on both sides is
 * reported; one or two nights after it are suspect, and worth another run. It is for
 * epochs that are too short for changes.c to say all.
 */
#include "base/arena.h"
#include "compare/verdict/probability.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST       20u
#define SIDE       3u  /* nights on both sides of a step */
#define WIDER      1.5 /* nights hang together, and the split is the one that looks most like a step */
#define UNLIKELY   1e-6
#define LEAST_SEEN 0.05 /* of the chance that a step has which counts as one that would be seen */

/* The newest nights of a series. */
struct stretch {
    double v[MOST];
    uint32_t night[MOST];
    size_t n;
};

/* A split: nights from `at` on are on the other side. */
struct split {
    size_t at;
    double size, by; /* the difference; and by what it is divided, without the deviation */
};

static struct stretch stretch_of(const struct tk_trend_epoch *e, size_t curve)
{
    const struct tk_trend_curve *c = &e->curves[curve];
    struct stretch s = {.n = 0};
    uint32_t from = e->span.to;
    for (size_t have = 0; from > e->last[curve] && have < MOST;)
        have += isnan(c->z[--from]) ? 0 : 1;
    for (uint32_t t = from; t < e->span.to; t++)
        if (!isnan(c->z[t])) {
            s.night[s.n] = t;
            s.v[s.n++] = c->z[t];
        }
    return s;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Of differences of neighbours the greatest do not count: a step makes one, a wild night two. What the others
 * leave of the variance of a normal distribution, and the freedom of that, were found by drawing. */
static struct tk_spread variance_of(const struct stretch *s)
{
    static const struct {
        uint8_t dropped;
        double leaves, freedom;
    } by_nights[MOST + 1] = {
        [4] = {1, 0.506, 1.4},  [5] = {1, 0.577, 2.1},  [6] = {2, 0.357, 1.8},  [7] = {2, 0.401, 2.5},
        [8] = {3, 0.296, 2.3},  [9] = {3, 0.331, 3.0},  [10] = {3, 0.365, 3.6}, [11] = {3, 0.389, 4.2},
        [12] = {3, 0.416, 4.9}, [13] = {3, 0.435, 5.6}, [14] = {4, 0.364, 5.5}, [15] = {4, 0.386, 5.8},
        [16] = {5, 0.331, 5.8}, [17] = {5, 0.352, 6.2}, [18] = {5, 0.360, 7.3}, [19] = {5, 0.383, 7.4},
        [20] = {5, 0.401, 8.5}};
    double d[MOST], sum = 0;
    const size_t all = s->n - 1, left = all - by_nights[s->n].dropped;
    for (size_t i = 0; i < all; i++)
        d[i] = (s->v[i + 1] - s->v[i]) * (s->v[i + 1] - s->v[i]) / 2;
    qsort(d, all, sizeof *d, ascending);
    for (size_t i = 0; i < left; i++)
        sum += d[i];
    return (struct tk_spread){sum / (double)left / by_nights[s->n].leaves, by_nights[s->n].freedom};
}

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += v[i];
    return sum / (double)n;
}

static double median_of(const double *v, size_t n)
{
    double sorted[MOST];
    memcpy(sorted, v, n * sizeof *v);
    return tk_robust_median(sorted, n);
}

/* The level of a side next to one of `other` nights: between mean and middle; of few nights the mean, and
 * the middle of the others next to them. */
static double level_of(const double *v, size_t n, size_t other)
{
    if (n < SIDE)
        return mean_of(v, n);
    return other < SIDE ? median_of(v, n) : (mean_of(v, n) + median_of(v, n)) / 2;
}

static struct split split_at(const struct stretch *s, size_t at)
{
    const size_t n = s->n - at;
    return (struct split){at, level_of(s->v + at, n, at) - level_of(s->v, at, n),
                          sqrt(WIDER * (1 / (double)at + 1 / (double)n))};
}

/* How many of n nights lie beyond a value, up or down. */
static size_t count_beyond(const double *v, size_t n, double value, bool up)
{
    size_t beyond = 0;
    for (size_t i = 0; i < n; i++)
        beyond += up ? v[i] > value : v[i] < value;
    return beyond;
}

/* Do three nights of each side, and two of three, lie on their own side of the middle between the levels?
 * Else it is one or two wild nights that do it. */
static bool has_sides(const struct stretch *s, const struct split *split)
{
    const size_t n[] = {split->at, s->n - split->at};
    const double *v[] = {s->v, s->v + split->at};
    const double between = (level_of(v[0], n[0], n[1]) + level_of(v[1], n[1], n[0])) / 2;
    for (int i = 0; i < 2; i++) {
        const size_t own = count_beyond(v[i], n[i], between, (i == 1) == (split->size > 0));
        if (own < SIDE || 3 * own < 2 * n[i])
            return false;
    }
    return true;
}

/* The split that stands out most, with three nights on both sides, or with one or two after it. */
static struct split best_of(const struct stretch *s, bool whole)
{
    const size_t from = whole ? SIDE : s->n > 2 + SIDE ? s->n - 2 : SIDE, to = whole ? s->n - SIDE : s->n - 1;
    struct split best = {0};
    for (size_t at = from; at <= to; at++) {
        const struct split one = split_at(s, at);
        if (whole && !has_sides(s, &one))
            continue;
        if (!best.at || fabs(one.size) / one.by > fabs(best.size) / best.by)
            best = one;
    }
    return best;
}

/* ---- chances ---- */

struct newest {
    struct tk_trend_epoch *e;
    struct tk_spreads spreads;
    struct tk_spread *of; /* by series; no freedom: too few nights */
};

/* Of one split, corrected for the nights and the series that were looked at. */
static double chance_of(const struct newest *w, struct tk_spread row, const struct stretch *s,
                        const struct split *split)
{
    double weight[TK_SPREADS], p = 0;
    tk_spreads_weigh(&w->spreads, row, weight);
    for (size_t k = 0; k < w->spreads.n; k++)
        if (weight[k] > UNLIKELY)
            p += weight[k] *
                 tk_probability_t(split->size / (w->spreads.deviation[k] * split->by), (double)s->n + 1);
    return fmin(1, p * (double)(s->n - 1) * (double)w->e->n_series);
}

/* The deviation of a night: the square root of the mean variance. */
static double deviation_of(const struct newest *w, struct tk_spread row)
{
    double weight[TK_SPREADS], sum = 0;
    tk_spreads_weigh(&w->spreads, row, weight);
    for (size_t k = 0; k < w->spreads.n; k++)
        sum += weight[k] * w->spreads.deviation[k] * w->spreads.deviation[k];
    return sqrt(sum);
}

/* The smallest step three nights ago that would be named. */
static double unseen_of(const struct newest *w, double sd, size_t n)
{
    if (n < TK_TREND_KNOWN)
        return NAN;
    const double limit = LEAST_SEEN / ((double)(n - 1) * (double)w->e->n_series);
    const double q = tk_probability_t_limit(limit, (double)n + 1);
    return expm1(fmax(q * sd * sqrt(WIDER * (1 / (double)(n - SIDE) + 1.0 / SIDE)), w->e->setup->floor));
}

/* ---- events ---- */

static int put_split(struct newest *w, size_t curve, const struct stretch *s, const struct split *split,
                     double p, double sd)
{
    struct tk_trend_event event = tk_trend_event_of(w->e, curve);
    const bool whole = s->n - split->at >= SIDE;
    event.kind = whole ? TK_TREND_STEP : TK_TREND_SUSPECT;
    event.cause = TK_TREND_OWN;
    event.night = event.low = event.high = s->night[split->at];
    event.size = split->size;
    event.se = whole ? sd * split->by : 0;
    event.nu = (double)s->n + 1;
    event.p = whole ? p : 1;
    if (whole)
        w->e->last[curve] = event.night;
    return tk_trend_put(w->e, &event);
}

/* A step where there is one, else what is suspect. */
static int look(struct newest *w, size_t curve)
{
    const struct stretch s = stretch_of(w->e, curve);
    const double least = fmax(w->e->setup->floor, 0.9 * w->e->curves[curve].grain);
    if (s.n < TK_TREND_LEAST)
        return 0;
    const double sd = deviation_of(w, w->of[curve]);
    w->e->unseen[curve] = unseen_of(w, sd, s.n);
    if (w->e->span.to - w->e->span.from >= TK_TREND_LONG)
        return 0;
    for (int whole = s.n >= 2 * SIDE; whole >= 0; whole--) {
        const struct split best = best_of(&s, whole);
        const double p = best.at && fabs(best.size) >= least ? chance_of(w, w->of[curve], &s, &best) : 1;
        if (p < w->e->setup->alpha)
            return put_split(w, curve, &s, &best, p, sd);
    }
    return 0;
}

static int look_at_all(struct newest *w)
{
    const size_t n = w->e->n_series;
    struct tk_spread *rows = tk_arena_alloc(&w->e->arena, (n + 1) * sizeof *rows);
    size_t known = 0;
    for (size_t i = 0; rows && i < n; i++) {
        const struct stretch s = stretch_of(w->e, i);
        w->of[i] = s.n >= TK_TREND_LEAST ? variance_of(&s) : (struct tk_spread){0, 0};
        if (w->of[i].freedom > 0)
            rows[known++] = w->of[i];
        w->e->unseen[i] = NAN;
    }
    if (!rows || tk_spreads_find(&w->spreads, rows, known, 0))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (look(w, i))
            return -1;
    return 0;
}

int tk_trend_newest(struct tk_trend_epoch *e)
{
    struct newest w = {.e = e, .of = tk_arena_alloc(&e->arena, (e->n_series + 1) * sizeof *w.of)};
    e->unseen = tk_arena_alloc(&e->arena, (e->n_series + 1) * sizeof *e->unseen);
    return w.of && e->unseen ? look_at_all(&w) : -1;
}
