/*
 * What became of each change, and which of them alarm. See verdicts.h.
 */
#include "trend/verdicts.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

#define BACK      3.0 /* a change is taken back where less than a third of it is left */
#define SWINGS    4u  /* changes between two levels of a series that is unsteady */
#define ENDS      5u  /* nights at both ends of a drift whose values are told */
#define DISTURBED 0.05

struct judge {
    struct tk_trend *t;
    struct tk_trend_event **order; /* by what they are of, then night */
    uint32_t newest;               /* first night on the newest machines */
    double *room;
};

/* ---- values ---- */

static double middle_between(const struct judge *j, const struct tk_history_series *s, uint32_t a, uint32_t b)
{
    size_t n = 0;
    for (size_t r = 0; r < s->values.n; r++) {
        uint32_t night = j->t->history->runs.v[r].night;
        if (night >= a && night < b && !isnan(s->values.v[r]))
            j->room[n++] = s->values.v[r];
    }
    return n ? tk_robust_median(j->room, n) : NAN;
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

static bool gets_worse(const struct tk_trend_event *e)
{
    enum tk_history_worse worse = e->series ? (enum tk_history_worse)e->series->worse : TK_HISTORY_UP;
    return e->kind != TK_TREND_MACHINE &&
           ((worse == TK_HISTORY_UP && e->size > 0) || (worse == TK_HISTORY_DOWN && e->size < 0));
}

static bool is_sure(const struct tk_trend *t, const struct tk_trend_event *e)
{
    if (e->kind == TK_TREND_STEP)
        return !e->joined && e->p < t->setup.alarm;
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

/* Events of one owner on machines of one kind. Only steps have states; the others stand beside them. */
static void judge_some(const struct judge *j, struct tk_trend_event **v, size_t n, struct tk_trend_span span)
{
    struct tk_trend_event **steps = v + n; /* room behind them */
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
                        struct tk_trend_event **room)
{
    for (size_t i = 0, end; i < n; i = end) {
        struct tk_trend_span span = machines_around(j->t, v[i]->night);
        for (end = i; end < n && v[end]->night < span.to; end++)
            room[end - i] = v[end];
        judge_some(j, room, end - i, span);
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
                          malloc((3 * n + 1) * sizeof *j.order), /* and room for those of one owner, twice */
                      .room = malloc((t->history->runs.n + 1) * sizeof *j.room)};
    int rc = j.order && j.room ? 0 : -1;
    for (size_t i = 0; i < n && rc == 0; i++)
        j.order[i] = &t->events.v[i];
    if (rc == 0)
        rc = tk_sort(j.order, n, sizeof *j.order, by_owner);
    if (rc == 0 && n) {
        j.newest = machines_around(t, t->history->nights).from;
        judge_all(&j);
    }
    free(j.order);
    free(j.room);
    return rc;
}
