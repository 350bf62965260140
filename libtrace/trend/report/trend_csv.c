/*
 * Events of a trend as CSV: first what a program that scores them needs, then what people ask.
 */
#include "base/text/copy.h"
#include "base/text/text.h"
#include "trend/report/trend_report.h"

#include <math.h>
#include <string.h>

static void put_text(struct tk_print *p, const struct tk_str *s)
{
    if (p->guard && tk_looks_like_formula(s->p, s->n)) {
        tk_print_csv(p, s);
        return;
    }
    for (uint32_t i = 0; i < s->n; i++)
        if (s->p[i] == ',' || s->p[i] == '"' || (unsigned char)s->p[i] < ' ') {
            tk_print_csv(p, s);
            return;
        }
    tk_print_name(p, s);
}

static void put_real(struct tk_print *p, double v, unsigned digits)
{
    tk_print(p, ",");
    if (isfinite(v))
        tk_print_real(p, v, digits);
}

/* Where it is: a machine change is at its night. */
static void put_places(struct tk_print *p, const struct tk_trend_event *e)
{
    tk_print(p, "%u,", e->night);
    if (e->kind == TK_TREND_MACHINE)
        tk_print(p, ",,");
    else
        tk_print(p, "%u,%u,", e->low, e->high);
    if (e->kind == TK_TREND_DRIFT)
        tk_print(p, "%u", e->until);
    tk_print(p, ",");
}

static void put_series(struct tk_print *p, const struct tk_trend_event *e)
{
    static const struct tk_str none = {.p = ""};
    const struct tk_history_series *s = e->series;
    tk_print(p, ",%s,", s ? tk_history_kind_name((enum tk_history_kind)s->kind) : "");
    put_text(p, s ? s->name : e->parent ? e->parent : &none);
    tk_print(p, ",");
    put_text(p, s ? s->group : &none);
    tk_print(p, ",");
    put_text(p, s ? s->unit : &none);
}

static void put_event(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    static const struct tk_str none = {.p = ""};
    const struct tk_history_run *run = tk_history_run_of(t->history, e->night);
    double low = NAN, high = NAN;
    char chance[TK_PUT_FIXED];
    put_places(p, e);
    tk_trend_report_id(p, e, put_text);
    tk_print(p, ",");
    tk_print_fixed(p, exp(e->size), 6);
    tk_print(p, ",%s,", tk_trend_kind_name((enum tk_trend_kind)e->kind));
    tk_trend_report_cause(p, e, put_text);
    tk_print(p, ",");
    tk_print_bytes(p, chance, tk_put_general(chance, e->p, 2));
    put_series(p, e);
    tk_trend_report_interval(e, &low, &high);
    put_real(p, low, 7);
    put_real(p, high, 7);
    put_real(p, e->before, 9);
    put_real(p, e->after, 9);
    tk_print(p, ",%s,%d,%d,", tk_trend_state_name((enum tk_trend_state)e->state), e->worse, e->alarms);
    put_text(p, run ? run->name : &none);
    tk_print(p, ",");
    put_text(p, run ? run->build : &none);
    tk_print(p, ",%d,", e->accepted);
    if (e->acceptance)
        put_text(p, &(struct tk_str){e->acceptance, (uint32_t)strlen(e->acceptance), TK_ENC_UTF8});
    tk_print(p, ",%d", e->known);
    if (t->owned) {
        tk_print(p, ",");
        put_text(p, e->owner ? e->owner : &none);
    }
    tk_print(p, "\n");
}

void tk_trend_report_csv(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    (void)setup;
    tk_print(p,
             "night,lo,hi,until,series,ratio,kind,cause,p,what,name,class,unit,ratio_low,ratio_high,before,"
             "after,state,worse,alarm,run,build,accepted,acceptance,known%s\n",
             t->owned ? ",owner" : "");
    for (size_t i = 0; i < t->events.n; i++)
        put_event(p, t, &t->events.v[i]);
}
