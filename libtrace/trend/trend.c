/*
 * The whole analysis: machines, epochs one by one, then the verdicts on each event and series.
 */
#include "trend/trend.h"

#include "base/sort.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>

/* ---- order ---- */

static int by_night(const void *a, const void *b)
{
    const struct tk_trend_event *x = a, *y = b;
    if (x->night != y->night)
        return x->night < y->night ? -1 : 1;
    return tk_trend_event_order(x, y);
}

/* ---- epochs ---- */

/* Logarithms of all series, by run. */
static double **take_logs(const struct tk_history *h, struct tk_arena *arena)
{
    double **x = tk_arena_alloc(arena, h->series.n * sizeof *x);
    double *space = tk_arena_alloc(arena, h->runs.n * sizeof *space);
    for (size_t s = 0; s < h->series.n && x && space; s++) {
        x[s] = tk_arena_alloc(arena, h->runs.n * sizeof **x);
        if (!x[s])
            return NULL;
        tk_trend_logs(&h->series.v[s], h->runs.n, x[s], space);
    }
    return space ? x : NULL;
}

static int put_machine(struct tk_trend *t, uint32_t night)
{
    const struct tk_trend_event event = {.kind = TK_TREND_MACHINE,
                                         .cause = TK_TREND_OTHER_MACHINE,
                                         .night = night,
                                         .low = night,
                                         .high = night,
                                         .before = NAN,
                                         .after = NAN,
                                         .share = NAN};
    return tk_vec_push(&t->events, event);
}

static int run_epoch(struct tk_trend *t, struct tk_trend_machines *m, double *const *x, size_t i)
{
    struct tk_trend_epoch e = {
        .h = t->history, .setup = &t->setup, .machines = m, .x = x, .span = m->epochs.v[i], .out = t};
    int rc = 0;
    if (i && put_machine(t, e.span.from))
        return -1;
    if (e.span.to - e.span.from >= TK_TREND_LEAST)
        rc = tk_trend_epoch(&e);
    if (rc == 0 && i + 1 == m->epochs.n)
        rc = tk_trend_levels(t, &e);
    tk_vec_release(&e.changes);
    tk_arena_release(&e.arena);
    return rc;
}

static int run_epochs(struct tk_trend *t, struct tk_arena *arena)
{
    struct tk_trend_machines m = {0};
    double **x = take_logs(t->history, arena);
    int rc = x ? tk_trend_machines(&m, t->history, arena) : -1;
    for (size_t i = 0; i < m.epochs.n && rc == 0; i++)
        rc = run_epoch(t, &m, x, i);
    tk_vec_release(&m.epochs);
    return rc;
}

static int analyse(struct tk_trend *t, const struct tk_history *h, const struct tk_trend_setup *setup)
{
    struct tk_arena arena = {0};
    *t = (struct tk_trend){.history = h, .setup = *setup, .unseen = NAN};
    int rc = h->runs.n ? run_epochs(t, &arena) : 0;
    tk_arena_release(&arena);
    if (rc == 0)
        rc = tk_sort(t->events.v, t->events.n, sizeof *t->events.v, by_night);
    return rc == 0 ? tk_trend_judge_events(t) : rc;
}

/* The same without the newest night; the series are copies that borrow what they have. */
static int analyse_before(struct tk_trend *t, const struct tk_trend_setup *setup)
{
    struct tk_history h = *t->history;
    struct tk_trend_setup open = *setup;
    struct tk_trend before = {0};
    struct tk_history_series *series = malloc((h.series.n + 1) * sizeof *series);
    if (!series)
        return -1;
    open.since = false;
    h.nights--;
    while (h.runs.n && h.runs.v[h.runs.n - 1].night >= h.nights)
        h.runs.n--;
    for (size_t i = 0; i < h.series.n; i++) {
        series[i] = h.series.v[i];
        series[i].values.n = series[i].values.n < h.runs.n ? series[i].values.n : h.runs.n;
    }
    h.series.v = series;
    int rc = analyse(&before, &h, &open);
    if (rc == 0)
        tk_trend_mark_known(t, &before);
    tk_trend_release(&before);
    free(series);
    return rc;
}

int tk_trend_make(struct tk_trend *t, const struct tk_history *h, const struct tk_trend_setup *setup,
                  struct tk_err *err)
{
    int rc = analyse(t, h, setup);
    if (rc == 0 && t->worse && h->nights > TK_TREND_LEAST)
        rc = analyse_before(t, setup);
    return rc ? tk_err_nomem(err, "a trend") : tk_trend_find_answer(t, err);
}

void tk_trend_release(struct tk_trend *t)
{
    tk_arena_release(&t->arena);
    tk_vec_release(&t->events);
    tk_vec_release(&t->levels);
}
