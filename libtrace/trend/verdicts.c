/*
 * What became of each change, and which of them alarm.
 */
#include "base/arena.h"
#include "base/sort.h"
#include "base/text/text.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>

/*
 * What the timers of one parent share: a curve more for each parent, which finds what is too small in each
 * of them.
 */

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
            e->space.pairs[have++] = (struct tk_robust_pair){curve->z[night] - c[i].middle, 1 / curve->sd};
    }
    return have >= LEAST ? tk_robust_weighted_median(e->space.pairs, have) : NAN;
}

static int add_family(struct tk_trend_epoch *e, struct child *c, size_t n)
{
    const struct tk_trend_curve *first = &e->curves[c[0].curve];
    struct tk_trend_curve f = {.parent = c[0].parent, .class = first->class, .span = e->span};
    f.z = tk_arena_alloc(&e->arena, e->h->nights * sizeof *f.z);
    if (!f.z)
        return -1;
    for (size_t i = 0; i < n; i++)
        c[i].middle = tk_trend_middle(&e->curves[c[i].curve], &e->space);
    for (uint32_t t = 0; t < e->h->nights; t++)
        f.z[t] = t >= e->span.from && t < e->span.to ? shared_value(e, c, n, t) : NAN;
    if (tk_trend_count(&f) < TK_TREND_NIGHTS)
        return 0;
    struct tk_trend_side all = tk_trend_side_of(f.z, e->span.from, e->span.to, e->space.left);
    f.sd = fmax(tk_robust_spread(all.v, all.n, e->space.sorted), e->setup->floor / 6);
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

/*
 * What each series is now: its level, its noise, and the least change that would show.
 */

/* Middle of the values of runs from a night on. */
static double middle_since(const struct tk_trend *t, const struct tk_history_series *s, uint32_t since,
                           double *space)
{
    size_t n = 0;
    for (size_t r = 0; r < s->values.n; r++)
        if (t->history->runs.v[r].night >= since && !isnan(s->values.v[r]))
            space[n++] = s->values.v[r];
    return n ? tk_robust_median(space, n) : NAN;
}

static uint32_t nights_with(const struct tk_history *h, const struct tk_history_series *s, uint32_t since)
{
    uint32_t n = 0, last = UINT32_MAX;
    for (size_t r = 0; r < s->values.n; r++) {
        uint32_t night = h->runs.v[r].night;
        if (night < since || night == last || isnan(s->values.v[r]))
            continue;
        last = night;
        n++;
    }
    return n;
}

static void fill_smallest(struct tk_trend_level *l, const struct tk_trend_curve *c, double quantile2,
                          double nights)
{
    static const double after[] = {3, 10, 50};
    for (int i = 0; i < 3; i++)
        l->smallest[i] = expm1(sqrt(quantile2) * c->sd * sqrt(c->phi * (1 / nights + 1 / after[i])));
}

int tk_trend_levels(struct tk_trend *t, const struct tk_trend_epoch *newest)
{
    double *space = malloc((t->history->runs.n + 1) * sizeof *space);
    int rc = space ? 0 : -1;
    t->tested = newest->n_curves;
    for (size_t s = 0, curve = 0; s < t->history->series.n && rc == 0; s++) {
        struct tk_trend_level l = {.series = &t->history->series.v[s],
                                   .since = newest->span.from,
                                   .noise = NAN,
                                   .unseen = NAN,
                                   .smallest = {NAN, NAN, NAN}};
        const struct tk_trend_curve *c = NULL;
        if (curve < newest->n_series && newest->curves[curve].series == l.series)
            c = &newest->curves[curve++];
        if (c) {
            l.since = newest->last[c - newest->curves];
            l.noise = c->sd;
            l.unseen = newest->unseen ? newest->unseen[c - newest->curves] : NAN;
            fill_smallest(&l, c, newest->quantile2, fmax(1, nights_with(t->history, l.series, l.since)));
        }
        l.nights = nights_with(t->history, l.series, 0);
        l.now = middle_since(t, l.series, l.since, space);
        rc = tk_vec_push(&t->levels, l);
    }
    free(space);
    return rc;
}

#define BACK      3.0 /* a change is taken back where less than a third of it is left */
#define SWINGS    4u  /* changes between two levels of a series that is unsteady */
#define ENDS      5u  /* nights at both ends of a drift whose values are reported */
#define DISTURBED 0.05

struct judge {
    struct tk_trend *t;
    struct tk_trend_event **order; /* by what they are of, then night */
    uint32_t newest;               /* first night on the newest machines */
    double *space;
};

/* ---- values ---- */

static double middle_between(const struct judge *j, const struct tk_history_series *s, uint32_t a, uint32_t b)
{
    size_t n = 0;
    for (size_t r = 0; r < s->values.n; r++) {
        uint32_t night = j->t->history->runs.v[r].night;
        if (night >= a && night < b && !isnan(s->values.v[r]))
            j->space[n++] = s->values.v[r];
    }
    return n ? tk_robust_median(j->space, n) : NAN;
}

/* Values of the nights since the change before, and until the next one. */
static void fill_values(const struct judge *j, struct tk_trend_event *e, uint32_t from, uint32_t to)
{
    if (!e->series)
        return;
    if (e->kind == TK_TREND_DRIFT) {
        e->before = middle_between(j, e->series, e->night, e->night + ENDS);
        e->after = middle_between(j, e->series, e->until > ENDS ? e->until - ENDS : 0, e->until);
        return;
    }
    e->before = middle_between(j, e->series, from, e->night);
    e->after = middle_between(j, e->series, e->night, to);
}

/* ---- states ---- */

/* Do the events up to and with v[last] leave less than a third of v[first]? */
static bool is_back(struct tk_trend_event *const *v, size_t first, size_t last, double floor)
{
    double left = 0;
    for (size_t i = first; i <= last; i++)
        left += v[i]->size;
    return fabs(left) <= fmax(floor, fabs(v[first]->size) / BACK);
}

/* Length of the chain of changes, each of which takes back the one before it, that ends with the newest. */
static size_t count_swings(struct tk_trend_event *const *v, size_t n, double floor)
{
    size_t swings = 1;
    while (swings < n && is_back(v, n - 1 - swings, n - swings, floor))
        swings++;
    return swings;
}

/* Steps of one series on machines of one kind, n >= 1, in order. */
static void fill_states(const struct judge *j, struct tk_trend_event **v, size_t n)
{
    double floor = j->t->setup.floor;
    bool unsteady = count_swings(v, n, floor) >= SWINGS;
    for (size_t i = 0; i < n; i++) {
        v[i]->state = i + 1 == n ? TK_TREND_HOLDS : TK_TREND_REPLACED;
        if (i + 1 < n && is_back(v, i, n - 1, floor))
            v[i]->state = TK_TREND_BACK;
        if (unsteady)
            v[i]->state = TK_TREND_UNSTEADY;
    }
}

/* ---- alarms ---- */

#define SMALL_STEP 0.05
#define SURER      0.01 /* times the limit of p */

static bool gets_worse(const struct tk_trend_event *e)
{
    enum tk_history_worse worse = e->series ? (enum tk_history_worse)e->series->worse : TK_HISTORY_UP;
    return e->kind != TK_TREND_MACHINE &&
           ((worse == TK_HISTORY_UP && e->size > 0) || (worse == TK_HISTORY_DOWN && e->size < 0));
}

/* Nights hang together: of a few a level that is some percent off is no rare thing, so that a step of that
 * size alarms where it is surer. */
static double alarm_of(const struct tk_trend *t, const struct tk_trend_event *e)
{
    return e->brief && fabs(e->size) < log1p(SMALL_STEP) ? t->setup.alarm * SURER : t->setup.alarm;
}

static bool is_sure(const struct tk_trend *t, const struct tk_trend_event *e)
{
    if (e->kind == TK_TREND_STEP)
        return !e->joined && (t->setup.likely || e->p < alarm_of(t, e));
    return t->setup.likely && (e->kind == TK_TREND_DRIFT || e->kind == TK_TREND_PROBABLE);
}

static bool alarms(const struct tk_trend *t, const struct tk_trend_event *e)
{
    if (!e->worse || !e->newest || !is_sure(t, e) || e->state == TK_TREND_UNSTEADY)
        return false;
    if (t->setup.since)
        return e->night >= t->setup.first_night && e->state != TK_TREND_BACK;
    return e->state == TK_TREND_HOLDS;
}

/* ---- all ---- */

static int by_owner(const void *a, const void *b)
{
    const struct tk_trend_event *x = *(struct tk_trend_event *const *)a,
                                *y = *(struct tk_trend_event *const *)b;
    int order = tk_trend_event_order(x, y);
    if (order)
        return order;
    return (x->night > y->night) - (x->night < y->night);
}

/* The machine change at or before a night, and the one behind it. */
static struct tk_trend_span machines_around(const struct tk_trend *t, uint32_t night)
{
    struct tk_trend_span span = {0, t->history->nights};
    for (size_t i = 0; i < t->events.n; i++) {
        if (t->events.v[i].kind != TK_TREND_MACHINE)
            continue;
        if (t->events.v[i].night <= night)
            span.from = t->events.v[i].night;
        else if (t->events.v[i].night < span.to)
            span.to = t->events.v[i].night;
    }
    return span;
}

/* Events of one owner on machines of one kind. Only steps have states; the others stand alongside them. */
static void judge_some(const struct judge *j, struct tk_trend_event **v, size_t n, struct tk_trend_span span)
{
    struct tk_trend_event **steps = v + n; /* space behind them */
    size_t n_steps = 0;
    for (size_t i = 0; i < n; i++)
        if (v[i]->kind == TK_TREND_STEP)
            steps[n_steps++] = v[i];
    if (n_steps)
        fill_states(j, steps, n_steps);
    for (size_t i = 0; i < n; i++)
        fill_values(j, v[i], i ? v[i - 1]->night : span.from, i + 1 < n ? v[i + 1]->night : span.to);
}

static void judge_owner(const struct judge *j, struct tk_trend_event **v, size_t n,
                        struct tk_trend_event **space)
{
    for (size_t i = 0, end; i < n; i = end) {
        struct tk_trend_span span = machines_around(j->t, v[i]->night);
        for (end = i; end < n && v[end]->night < span.to; end++)
            space[end - i] = v[end];
        judge_some(j, space, end - i, span);
    }
}

static void judge_all(const struct judge *j)
{
    struct tk_trend *t = j->t;
    size_t suspects = 0;
    for (size_t i = 0, end; i < t->events.n; i = end) {
        for (end = i + 1; end < t->events.n && tk_trend_event_order(j->order[i], j->order[end]) == 0;)
            end++;
        if (j->order[i]->kind != TK_TREND_MACHINE)
            judge_owner(j, j->order + i, end - i, j->order + t->events.n);
    }
    for (size_t i = 0; i < t->events.n; i++) {
        struct tk_trend_event *e = &t->events.v[i];
        e->newest = e->night >= j->newest;
        e->worse = gets_worse(e);
        e->alarms = alarms(t, e);
        t->worse |= e->alarms;
        suspects += e->newest && e->kind == TK_TREND_SUSPECT;
    }
    t->disturbed = (double)suspects > DISTURBED * (double)t->tested;
}

int tk_trend_judge_events(struct tk_trend *t)
{
    size_t n = t->events.n;
    struct judge j = {.t = t,
                      .order =
                          malloc((3 * n + 1) * sizeof *j.order), /* and space for those of one owner, twice */
                      .space = malloc((t->history->runs.n + 1) * sizeof *j.space)};
    int rc = j.order && j.space ? 0 : -1;
    for (size_t i = 0; i < n && rc == 0; i++)
        j.order[i] = &t->events.v[i];
    if (rc == 0)
        rc = tk_sort(j.order, n, sizeof *j.order, by_owner);
    if (rc == 0 && n) {
        j.newest = machines_around(t, t->history->nights).from;
        judge_all(&j);
    }
    free(j.order);
    free(j.space);
    return rc;
}
