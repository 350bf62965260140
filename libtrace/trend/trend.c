/*
 * The whole analysis: machines, epochs one by one, then the verdicts on each event and series.
 */
#include "trend/trend.h"

#include "base/sort.h"
#include "base/text/glob.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    tk_intern_release(&t->names);
    tk_vec_release(&t->events);
    tk_vec_release(&t->levels);
}

/*
 * What is said of a history, and of each series: regressed, improved, no change beyond so much, or unknown.
 * What was sure a night ago already is known: it alarmed then, and stands among what is open.
 */

#define MOST_UNSEEN 0.25
#define NEAR        3u /* nights: so far the place of a step may move as nights come */

const char *tk_trend_answer_name(enum tk_trend_answer answer)
{
    static const char *const names[TK_TREND_ANSWERS] = {[TK_TREND_UNKNOWN] = "unknown",
                                                        [TK_TREND_NO_CHANGE] = "no change",
                                                        [TK_TREND_BETTER] = "improved",
                                                        [TK_TREND_WORSE] = "regressed"};
    return names[answer];
}

/* ---- known ---- */

static bool is_same(const struct tk_trend_event *a, const struct tk_trend_event *b)
{
    const uint32_t apart = a->night > b->night ? a->night - b->night : b->night - a->night;
    return b->alarms && apart <= NEAR && (a->size > 0) == (b->size > 0) && tk_trend_event_order(a, b) == 0;
}

void tk_trend_mark_known(struct tk_trend *t, const struct tk_trend *before)
{
    t->worse = false;
    for (size_t i = 0; i < t->events.n; i++) {
        struct tk_trend_event *e = &t->events.v[i];
        for (size_t k = 0; k < before->events.n && e->alarms && !e->known; k++)
            e->known = is_same(e, &before->events.v[k]);
        t->open += e->known;
        e->alarms = e->alarms && (!e->known || t->setup.since || t->setup.open);
        t->worse |= e->alarms;
    }
}

/* ---- answers ---- */

/* Is it a sure change for the better, the newest of its series? */
static bool is_better(const struct tk_trend *t, const struct tk_trend_event *e)
{
    return e->kind == TK_TREND_STEP && !e->joined && !e->worse && e->newest && e->state == TK_TREND_HOLDS &&
           e->p < t->setup.alarm && e->series && e->series->worse != TK_HISTORY_NEITHER;
}

static double unseen_of(const struct tk_trend_level *l)
{
    return isnan(l->unseen) ? INFINITY : l->unseen;
}

enum tk_trend_answer tk_trend_answer_of(const struct tk_trend *t, const struct tk_trend_level *level)
{
    enum tk_trend_answer answer = unseen_of(level) > MOST_UNSEEN ? TK_TREND_UNKNOWN : TK_TREND_NO_CHANGE;
    for (size_t i = 0; i < t->events.n; i++) {
        const struct tk_trend_event *e = &t->events.v[i];
        if (e->series != level->series)
            continue;
        if (e->alarms || e->known)
            return TK_TREND_WORSE;
        if (is_better(t, e))
            answer = TK_TREND_BETTER;
    }
    return answer;
}

/* The step that would be named in half of the series that were tested; infinite: none would. */
static int find_unseen(const struct tk_trend *t, double *unseen)
{
    double *v = malloc((t->levels.n + 1) * sizeof *v);
    size_t n = 0;
    if (!v)
        return -1;
    for (size_t i = 0; i < t->levels.n; i++)
        if (!isnan(t->levels.v[i].noise))
            v[n++] = fmin(unseen_of(&t->levels.v[i]), 1e9);
    *unseen = n ? tk_robust_median(v, n) : INFINITY;
    free(v);
    return 0;
}

/* How many series are to be known. */
static size_t find_blind(struct tk_trend *t)
{
    const char *pattern = t->setup.series;
    size_t n = 0;
    for (size_t i = 0; i < t->levels.n && pattern; i++) {
        const struct tk_history_series *s = t->levels.v[i].series;
        if (!tk_glob_typed(pattern, strlen(pattern), s->name->p, s->name->n) &&
            !tk_glob_typed(pattern, strlen(pattern), s->id->p, s->id->n))
            continue;
        n++;
        if (!t->blind && tk_trend_answer_of(t, &t->levels.v[i]) == TK_TREND_UNKNOWN)
            t->blind = s;
    }
    return n;
}

int tk_trend_find_answer(struct tk_trend *t, struct tk_err *err)
{
    double unseen;
    bool better = false;
    if (find_unseen(t, &unseen))
        return tk_err_nomem(err, "a trend");
    if (t->setup.series && !find_blind(t))
        return tk_err_set(err, TK_EMATCH, "the history has no series '%.200s'", t->setup.series);
    for (size_t i = 0; i < t->events.n; i++)
        better |= is_better(t, &t->events.v[i]);
    t->unseen = unseen <= MOST_UNSEEN ? unseen : NAN;
    t->answer = t->worse                       ? TK_TREND_WORSE
                : isnan(t->unseen) || t->blind ? TK_TREND_UNKNOWN
                : better                       ? TK_TREND_BETTER
                                               : TK_TREND_NO_CHANGE;
    return TK_OK;
}
