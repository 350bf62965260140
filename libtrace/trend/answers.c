/*
 * What is said of a history, and of each series: regressed, improved, no change beyond so much, or unknown.
 * What was sure a night ago already is known: it alarmed then, and stands among what is open.
 */
#include "base/text/glob.h"
#include "trend/trend.h"
#include "trend/trend_in.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
