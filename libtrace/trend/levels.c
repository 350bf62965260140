/*
 * What each series is now: its level, its noise, and the least change that would show. See verdicts.h.
 */
#include "trend/verdicts.h"

#include <math.h>
#include <stdlib.h>

/* Middle of the values of runs from a night on. */
static double middle_since(const struct tk_trend *t, const struct tk_history_series *s, uint32_t since,
                           double *room)
{
    size_t n = 0;
    for (size_t r = 0; r < s->values.n; r++)
        if (t->history->runs.v[r].night >= since && !isnan(s->values.v[r]))
            room[n++] = s->values.v[r];
    return n ? tk_robust_median(room, n) : NAN;
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
    double *room = malloc((t->history->runs.n + 1) * sizeof *room);
    int rc = room ? 0 : -1;
    t->tested = newest->n_curves;
    for (size_t s = 0, curve = 0; s < t->history->series.n && rc == 0; s++) {
        struct tk_trend_level l = {.series = &t->history->series.v[s],
                                   .since = newest->span.from,
                                   .noise = NAN,
                                   .smallest = {NAN, NAN, NAN}};
        const struct tk_trend_curve *c = NULL;
        if (curve < newest->n_series && newest->curves[curve].series == l.series)
            c = &newest->curves[curve++];
        if (c) {
            l.since = newest->last[c - newest->curves];
            l.noise = c->sd;
            fill_smallest(&l, c, newest->quantile2, fmax(1, nights_with(t->history, l.series, l.since)));
        }
        l.nights = nights_with(t->history, l.series, 0);
        l.now = middle_since(t, l.series, l.since, room);
        rc = tk_vec_push(&t->levels, l);
    }
    free(room);
    return rc;
}
