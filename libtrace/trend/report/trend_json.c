/*
 * A trend as JSON (schemas/trend.schema.json): runs, events, and every series with its level.
 */
#include "trend/report/report_in.h"

#include <math.h>
#include <string.h>

static void put_text(struct tk_json *j, const char *name, const struct tk_str *s)
{
    tk_print_json_text(j, name, s && s->n ? s : NULL);
}

static void put_runs(struct tk_json *j, const struct tk_trend *t)
{
    tk_json_open(j, "runs", '[');
    for (size_t i = 0; i < t->history->runs.n; i++) {
        const struct tk_history_run *r = &t->history->runs.v[i];
        tk_json_line(j);
        tk_json_open(j, NULL, '{');
        tk_json_u64(j, "night", r->night);
        put_text(j, "name", r->name);
        put_text(j, "time", r->time);
        put_text(j, "build", r->build);
        put_text(j, "machine", r->machine);
        tk_json_u64(j, "frames", r->frames);
        tk_json_close(j);
    }
    tk_json_line(j);
    tk_json_close(j);
}

static void put_interval(struct tk_json *j, const struct tk_trend_event *e)
{
    double low, high;
    if (!tk_trend_report_interval(e, &low, &high)) {
        tk_json_plain(j, "interval", "null");
        return;
    }
    tk_json_open(j, "interval", '[');
    tk_json_real(j, NULL, low, 7);
    tk_json_real(j, NULL, high, 7);
    tk_json_close(j);
}

static void put_acceptance(struct tk_json *j, const struct tk_trend_event *e)
{
    const struct tk_str said = {e->acceptance, (uint32_t)strlen(e->acceptance), TK_ENC_UTF8};
    tk_json_bool(j, "accepted", e->accepted);
    put_text(j, "acceptance", &said);
}

static void put_event(struct tk_json *j, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_json_open(j, NULL, '{');
    tk_json_u64(j, "night", e->night);
    tk_json_u64(j, "first", e->low);
    tk_json_u64(j, "last", e->high);
    if (e->kind == TK_TREND_DRIFT)
        tk_json_u64(j, "until", e->until);
    else
        tk_json_plain(j, "until", "null");
    tk_json_member(j, "series");
    tk_trend_report_id(j->to, e, tk_print_json);
    tk_json_c(j, "kind", tk_trend_kind_name((enum tk_trend_kind)e->kind));
    tk_json_member(j, "cause");
    tk_trend_report_cause(j->to, e, tk_print_json);
    tk_json_real(j, "ratio", exp(e->size), 7);
    put_interval(j, e);
    tk_json_real(j, "p", e->p, 3);
    tk_json_real(j, "before", e->before, 9);
    tk_json_real(j, "after", e->after, 9);
    tk_json_c(j, "state", tk_trend_state_name((enum tk_trend_state)e->state));
    tk_json_bool(j, "worse", e->worse);
    tk_json_bool(j, "alarm", e->alarms);
    tk_json_bool(j, "known", e->known);
    if (e->acceptance)
        put_acceptance(j, e);
    if (t->owned)
        put_text(j, "owner", e->owner);
    tk_json_close(j);
}

static void put_level(struct tk_json *j, const struct tk_trend *t, const struct tk_trend_level *l)
{
    const struct tk_history_series *s = l->series;
    tk_json_open(j, NULL, '{');
    tk_print_json_text(j, "series", s->id);
    tk_json_c(j, "kind", tk_history_kind_name((enum tk_history_kind)s->kind));
    put_text(j, "name", s->name);
    put_text(j, "class", s->group);
    put_text(j, "parent", s->parent);
    put_text(j, "unit", s->unit);
    tk_json_u64(j, "nights", l->nights);
    tk_json_u64(j, "since", l->since);
    tk_json_real(j, "now", l->now, 9);
    tk_json_real(j, "noise", l->noise, 4);
    tk_json_c(j, "answer", tk_trend_answer_name(tk_trend_answer_of(t, l)));
    tk_json_real(j, "no_change_beyond", l->unseen, 4);
    tk_json_open(j, "smallest", '[');
    for (int i = 0; i < 3; i++)
        tk_json_real(j, NULL, l->smallest[i], 4);
    tk_json_close(j);
    tk_json_close(j);
}

static void put_summary(struct tk_json *j, const struct tk_trend *t)
{
    struct tk_print text = {0};
    struct tk_trend_groups groups;
    if (tk_trend_groups_make(&groups, t))
        text.failed = true;
    else
        tk_trend_lead(&text, t, &groups);
    tk_trend_groups_release(&groups);
    tk_json_member(j, "summary");
    tk_print_through(j->to, &text, tk_print_json);
}

static void put_about(struct tk_json *j, const struct tk_trend *t)
{
    tk_json_u64(j, "schema", 1);
    put_summary(j, t);
    tk_json_c(j, "verdict", tk_trend_answer_name((enum tk_trend_answer)t->answer));
    tk_json_real(j, "no_change_beyond", t->answer == TK_TREND_UNKNOWN ? NAN : t->unseen, 4);
    tk_json_u64(j, "open", t->open);
    tk_json_bool(j, "disturbed", t->disturbed);
    tk_json_u64(j, "nights", t->history->nights);
    tk_json_real(j, "chance", t->setup.alpha, 6);
    tk_json_real(j, "floor", t->setup.floor, 6);
    tk_json_u64(j, "tested", t->tested);
    tk_json_open(j, "remarks", '[');
    for (size_t i = 0; i < t->history->remarks.n; i++)
        tk_print_json_text(j, NULL, t->history->remarks.v[i]);
    tk_json_close(j);
}

void tk_trend_report_json(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    struct tk_json j = tk_print_json_writer(p);
    (void)setup;
    tk_json_open(&j, NULL, '{');
    put_about(&j, t);
    put_runs(&j, t);
    tk_json_open(&j, "events", '[');
    for (size_t i = 0; i < t->events.n; i++) {
        tk_json_line(&j);
        put_event(&j, t, &t->events.v[i]);
    }
    tk_json_line(&j);
    tk_json_close(&j);
    tk_json_open(&j, "series", '[');
    for (size_t i = 0; i < t->levels.n; i++) {
        tk_json_line(&j);
        put_level(&j, t, &t->levels.v[i]);
    }
    tk_json_line(&j);
    tk_json_close(&j);
    tk_json_close(&j);
    tk_print(p, "\n");
}
