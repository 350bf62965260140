/*
 * A trend as JSON (schemas/trend.schema.json): runs, events, and every series with its level. See
 * trend_report.h.
 */
#include "trend/report/report_in.h"

#include <math.h>
#include <string.h>

static void put_real(struct tk_print *p, const char *name, double v, unsigned digits)
{
    tk_print(p, ",\"%s\":", name);
    tk_print_real(p, v, digits);
}

static void put_text(struct tk_print *p, const char *name, const struct tk_str *s)
{
    tk_print(p, ",\"%s\":", name);
    if (s && s->n)
        tk_print_json(p, s);
    else
        tk_print(p, "null");
}

static void put_runs(struct tk_print *p, const struct tk_trend *t)
{
    tk_print(p, ",\"runs\":[");
    for (size_t i = 0; i < t->history->runs.n; i++) {
        const struct tk_history_run *r = &t->history->runs.v[i];
        tk_print(p, "%s\n{\"night\":%u", i ? "," : "", r->night);
        put_text(p, "name", r->name);
        put_text(p, "time", r->time);
        put_text(p, "build", r->build);
        put_text(p, "machine", r->machine);
        tk_print(p, ",\"frames\":%llu}", (unsigned long long)r->frames);
    }
    tk_print(p, "\n]");
}

static void put_interval(struct tk_print *p, const struct tk_trend_event *e)
{
    double low, high;
    tk_print(p, ",\"interval\":");
    if (!tk_trend_report_interval(e, &low, &high)) {
        tk_print(p, "null");
        return;
    }
    tk_print(p, "[");
    tk_print_real(p, low, 7);
    tk_print(p, ",");
    tk_print_real(p, high, 7);
    tk_print(p, "]");
}

static void put_event(struct tk_print *p, const struct tk_trend_event *e)
{
    tk_print(p, "{\"night\":%u,\"first\":%u,\"last\":%u,\"until\":", e->night, e->low, e->high);
    if (e->kind == TK_TREND_DRIFT)
        tk_print(p, "%u", e->until);
    else
        tk_print(p, "null");
    tk_print(p, ",\"series\":");
    tk_trend_report_id(p, e, tk_print_json);
    tk_print(p, ",\"kind\":\"%s\",\"cause\":", tk_trend_kind_name((enum tk_trend_kind)e->kind));
    tk_trend_report_cause(p, e, tk_print_json);
    put_real(p, "ratio", exp(e->size), 7);
    put_interval(p, e);
    put_real(p, "p", e->p, 3);
    put_real(p, "before", e->before, 9);
    put_real(p, "after", e->after, 9);
    tk_print(p, ",\"state\":\"%s\",\"worse\":%s,\"alarm\":%s",
             tk_trend_state_name((enum tk_trend_state)e->state), e->worse ? "true" : "false",
             e->alarms ? "true" : "false");
    if (e->acceptance) {
        const struct tk_str said = {e->acceptance, (uint32_t)strlen(e->acceptance), TK_ENC_UTF8};
        tk_print(p, ",\"accepted\":%s", e->accepted ? "true" : "false");
        put_text(p, "acceptance", &said);
    }
    tk_print(p, "}");
}

static void put_level(struct tk_print *p, const struct tk_trend_level *l)
{
    const struct tk_history_series *s = l->series;
    tk_print(p, "{\"series\":");
    tk_print_json(p, s->id);
    tk_print(p, ",\"kind\":\"%s\"", tk_history_kind_name((enum tk_history_kind)s->kind));
    put_text(p, "name", s->name);
    put_text(p, "class", s->group);
    put_text(p, "parent", s->parent);
    put_text(p, "unit", s->unit);
    tk_print(p, ",\"nights\":%u,\"since\":%u", l->nights, l->since);
    put_real(p, "now", l->now, 9);
    put_real(p, "noise", l->noise, 4);
    tk_print(p, ",\"smallest\":[");
    for (int i = 0; i < 3; i++) {
        tk_print(p, i ? "," : "");
        tk_print_real(p, l->smallest[i], 4);
    }
    tk_print(p, "]}");
}

static const char *verdict_of(const struct tk_trend *t)
{
    return t->worse ? "regressed" : t->history->nights < TK_TREND_NIGHTS ? "not tested" : "unchanged";
}

void tk_trend_report_json(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    (void)setup;
    tk_print(p, "{\"schema\":1,\"verdict\":\"%s\",\"disturbed\":%s,\"nights\":%u", verdict_of(t),
             t->disturbed ? "true" : "false", t->history->nights);
    put_real(p, "chance", t->setup.alpha, 6);
    put_real(p, "floor", t->setup.floor, 6);
    tk_print(p, ",\"tested\":%zu,\"remarks\":[", t->tested);
    for (size_t i = 0; i < t->history->remarks.n; i++) {
        tk_print(p, i ? "," : "");
        tk_print_json(p, t->history->remarks.v[i]);
    }
    tk_print(p, "]");
    put_runs(p, t);
    tk_print(p, ",\"events\":[");
    for (size_t i = 0; i < t->events.n; i++) {
        tk_print(p, "%s\n", i ? "," : "");
        put_event(p, &t->events.v[i]);
    }
    tk_print(p, "\n],\"series\":[");
    for (size_t i = 0; i < t->levels.n; i++) {
        tk_print(p, "%s\n", i ? "," : "");
        put_level(p, &t->levels.v[i]);
    }
    tk_print(p, "\n]}\n");
}
