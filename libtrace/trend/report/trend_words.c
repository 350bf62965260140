/*
 * Words of the reports of trends.
 */
#include "trend/report/report_in.h"

#include <math.h>
#include <string.h>

#define LONG 48 /* bytes of two texts: not in whole */

const char *tk_trend_section_title(enum tk_trend_section section)
{
    static const char *const titles[TK_TREND_SECTIONS] = {
        [TK_TREND_REGRESSED] = "Regressed",
        [TK_TREND_MACHINES] = "Other machines",
        [TK_TREND_CHANGED] = "Changed",
        [TK_TREND_DRIFTS] = "Drifts",
        [TK_TREND_OPEN] = "Open since an earlier run",
        [TK_TREND_SUSPECTS] = "Suspect: worth another run",
    };
    return titles[section];
}

/* ---- the history ---- */

static void put_time(struct tk_print *p, const struct tk_history_run *run, tk_trend_put_name *put)
{
    /* of ISO 8601 the day is enough */
    struct tk_str day = *run->time;
    if (day.n > 10 && day.p[4] == '-' && day.p[10] == 'T')
        day.n = 10;
    put(p, &day);
}

const char *tk_trend_unit(const struct tk_trend *t)
{
    return t->history->nights < t->history->runs.n ? "build" : "run";
}

void tk_trend_night(struct tk_print *p, const struct tk_trend *t, uint32_t night, tk_trend_put_name *put)
{
    const struct tk_history_run *run = tk_history_run_of(t->history, night);
    if (!run) {
        tk_print(p, "night %u", night);
        return;
    }
    const bool named = t->history->labelled || !run->build->n;
    if (named) {
        tk_print(p, "run ");
        put(p, run->name);
    }
    if (run->build->n) {
        tk_print(p, named ? ", build " : "build ");
        put(p, run->build);
    }
    if (run->time->n) {
        tk_print(p, ", ");
        put_time(p, run, put);
    }
}

void tk_trend_tick(struct tk_print *p, const struct tk_trend *t, uint32_t night, tk_trend_put_name *put)
{
    const struct tk_history_run *run = tk_history_run_of(t->history, night);
    if (!run)
        return;
    if (run->time->n)
        put_time(p, run, put);
    else
        put(p, run->build->n ? run->build : run->name);
}

void tk_trend_method(struct tk_print *p, const struct tk_trend *t, const char *before, tk_trend_put_name *put)
{
    const struct tk_history *h = t->history;
    tk_print(p, "%s%zu run%s", before, h->runs.n, h->runs.n == 1 ? "" : "s");
    if (h->nights < h->runs.n)
        tk_print(p, " of %u build%s", h->nights, h->nights == 1 ? "" : "s");
    tk_print(p, ", from ");
    tk_trend_night(p, t, h->runs.v[0].night, put);
    tk_print(p, "\n%sto ", before);
    tk_trend_night(p, t, h->runs.v[h->runs.n - 1].night, put);
    tk_print(p, "\n%s%zu series; changes of at least ", before, h->series.n);
    tk_print_fixed(p, t->setup.floor * 100, 1);
    tk_print(p, " %% (the floor), and a false one in ");
    tk_print_fixed(p, t->setup.alpha * 100, 1);
    tk_print(p, " %% of histories\n%s", before);
    tk_print(
        p,
        "changes: +10.4 %% (+9.1 to +11.6): measured, and where the true change is with a chance of 95 %%\n");
    for (size_t i = 0; i < h->remarks.n; i++) {
        tk_print(p, "%snote: ", before);
        put(p, h->remarks.v[i]);
        tk_print(p, "\n");
    }
}

/* ---- an event ---- */

void tk_trend_subject(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put)
{
    if (e->kind == TK_TREND_MACHINE) {
        tk_print(p, "the machine");
    } else if (e->series) {
        put(p, e->series->name);
        tk_print(p, " [%s", tk_history_kind_name((enum tk_history_kind)e->series->kind));
        if (e->series->group->n) {
            tk_print(p, ", ");
            put(p, e->series->group);
        }
        tk_print(p, "]");
    } else if (e->parent) {
        tk_print(p, "timers of ");
        put(p, e->parent);
    } else {
        tk_print(p, "%s %s times", e->share < 2.0 / 3 ? "a large part of" : "all",
                 tk_trend_class_name((enum tk_trend_class)e->class));
    }
}

static void put_percent(struct tk_print *p, double ratio)
{
    tk_print(p, ratio >= 1 ? "+" : "");
    tk_print_fixed(p, (ratio - 1) * 100, 1);
}

/* The newest run before a night. */
static const struct tk_history_run *run_before(const struct tk_history *h, uint32_t night)
{
    const struct tk_history_run *found = NULL;
    for (size_t i = 0; i < h->runs.n && h->runs.v[i].night < night; i++)
        found = &h->runs.v[i];
    return found;
}

bool tk_trend_has_no_ratio(const struct tk_trend_event *e)
{
    return e->series && (e->before <= 0) != (e->after <= 0);
}

void tk_trend_size(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                   tk_trend_put_name *put)
{
    double low, high;
    const struct tk_history_run *from = run_before(t->history, e->night),
                                *to = tk_history_run_of(t->history, e->night);
    if (e->kind == TK_TREND_MACHINE && from && to) {
        put(p, from->machine);
        tk_print(p, " to ");
        put(p, to->machine);
        return;
    }
    if (tk_trend_has_no_ratio(e)) {
        tk_print(p, e->before > 0 ? "to 0" : "from 0");
        return;
    }
    put_percent(p, exp(e->size));
    tk_print(p, " %%");
    if (!tk_trend_report_interval(e, &low, &high))
        return;
    tk_print(p, " (");
    put_percent(p, low);
    tk_print(p, " to ");
    put_percent(p, high);
    tk_print(p, ")");
}

bool tk_trend_values(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put)
{
    if (!e->series || isnan(e->before) || isnan(e->after))
        return false;
    tk_print_real(p, e->before, 4);
    tk_print(p, " to ");
    tk_print_real(p, e->after, 4);
    if (e->series->unit->n) {
        tk_print(p, " ");
        put(p, e->series->unit);
    }
    return true;
}

static const char *confidence_of(const struct tk_trend_event *e)
{
    if (e->joined)
        return "with the others";
    return e->p < 1e-6 ? "certain" : e->p < 1e-3 ? "very likely" : "likely";
}

/* The next word of a text from *at on; empty behind the last one. */
static struct tk_str next_word(const struct tk_str *s, uint32_t *at)
{
    while (*at < s->n && s->p[*at] == ' ')
        ++*at;
    const uint32_t from = *at;
    while (*at < s->n && s->p[*at] != ' ')
        ++*at;
    return (struct tk_str){.p = s->p + from, .n = *at - from, .enc = s->enc};
}

static bool has_word(const struct tk_str *s, const struct tk_str *word)
{
    uint32_t at = 0;
    for (struct tk_str w = next_word(s, &at); w.n; w = next_word(s, &at))
        if (tk_str_order(&w, word) == 0)
            return true;
    return false;
}

/* Words of a text that the other has not, behind `before`; whether there are any. */
static bool put_words(struct tk_print *p, const struct tk_str *s, const struct tk_str *other,
                      const char *before, tk_trend_put_name *put)
{
    uint32_t at = 0;
    bool any = false;
    for (struct tk_str w = next_word(s, &at); w.n; w = next_word(s, &at)) {
        if (has_word(other, &w))
            continue;
        tk_print(p, "%s", any ? " " : before);
        put(p, &w);
        any = true;
    }
    return any;
}

/* Of a long text the words that differ. */
static void put_change_of_words(struct tk_print *p, const struct tk_str *a, const struct tk_str *b,
                                tk_trend_put_name *put)
{
    const bool lost = put_words(p, a, b, " without ", put), gained = put_words(p, b, a, " with ", put);
    if (!lost && !gained)
        tk_print(p, " has its words in another order");
}

void tk_trend_notes(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                    tk_trend_put_name *put)
{
    const struct tk_history *h = t->history;
    const struct tk_history_run *from = run_before(h, e->night), *to = tk_history_run_of(h, e->night);
    for (size_t i = 0; i < h->notes.n && from && to; i++) {
        const struct tk_str *a = h->notes.v[i].values.v[from - h->runs.v];
        const struct tk_str *b = h->notes.v[i].values.v[to - h->runs.v];
        if (a == b)
            continue;
        tk_print(p, "; ");
        put(p, h->notes.v[i].name);
        if (a->n + b->n > LONG) {
            put_change_of_words(p, a, b, put);
            continue;
        }
        tk_print(p, " changed from '");
        put(p, a);
        tk_print(p, "' to '");
        put(p, b);
        tk_print(p, "'");
    }
}

static void put_kind(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                     tk_trend_put_name *put)
{
    switch (e->kind) {
    case TK_TREND_STEP:
        tk_print(p, "%s", confidence_of(e));
        break;
    case TK_TREND_DRIFT:
        tk_print(p, "until ");
        tk_trend_night(p, t, e->until < t->history->nights ? e->until : t->history->nights - 1, put);
        break;
    case TK_TREND_MACHINE:
        tk_print(p, "levels before and after are not compared");
        break;
    case TK_TREND_PROBABLE:
        tk_print(p, "the newest three %ss; not sure yet", tk_trend_unit(t));
        break;
    default:
        tk_print(p, "the last one or two %ss are far off", tk_trend_unit(t));
        break;
    }
}

void tk_trend_detail(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e,
                     tk_trend_put_name *put)
{
    static const char *const states[TK_TREND_STATES] = {[TK_TREND_HOLDS] = "",
                                                        [TK_TREND_REPLACED] = "; changed again later",
                                                        [TK_TREND_BACK] = "; taken back later",
                                                        [TK_TREND_UNSTEADY] =
                                                            "; unsteady, so without a verdict"};
    put_kind(p, t, e, put);
    if (e->kind == TK_TREND_STEP)
        tk_print(p, "%s", states[e->state]);
    if (e->cause == TK_TREND_SHARED && !e->series && !isnan(e->share)) {
        tk_print(p, "; ");
        tk_print_fixed(p, e->share * 100, 0);
        tk_print(p, " %% of the series follow it: machine or build?");
    }
    if (e->acceptance) {
        const struct tk_str said = {e->acceptance, (uint32_t)strlen(e->acceptance), TK_ENC_UTF8};
        tk_print(p, "; ");
        put(p, &said);
    }
}

void tk_trend_owner(struct tk_print *p, const struct tk_trend_event *e, tk_trend_put_name *put)
{
    if (e->owner && e->owner->n) {
        tk_print(p, "; owner ");
        put(p, e->owner);
    }
}
