/*
 * A trend as JUnit XML: a test case for each series that was tested, and one for each change of several. See
 * trend_report.h.
 */
#include "compare/trend/report/trend_words.h"

#include <math.h>

static void put_message(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_trend_size(p, t, e, tk_print_xml);
    tk_print(p, " from ");
    tk_trend_night(p, t, e->night, tk_print_xml);
    tk_print(p, "; ");
    tk_trend_detail(p, t, e, tk_print_xml);
}

static void put_failure(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_print(p, "      <failure message=\"");
    put_message(p, t, e);
    tk_print(p, "\" type=\"regressed\"/>\n");
}

/* Events that alarm, of one series. */
static size_t put_failures(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s)
{
    size_t n = 0;
    for (size_t i = 0; i < t->events.n; i++)
        if (t->events.v[i].alarms && t->events.v[i].series == s) {
            tk_print(p, n ? "" : "\">\n");
            put_failure(p, t, &t->events.v[i]);
            n++;
        }
    return n;
}

static void put_series(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_level *l)
{
    tk_print(p, "    <testcase classname=\"%s", tk_history_kind_name((enum tk_history_kind)l->series->kind));
    if (l->series->group->n) {
        tk_print(p, ".");
        tk_print_xml(p, l->series->group);
    }
    tk_print(p, "\" name=\"");
    tk_print_xml(p, l->series->name);
    if (put_failures(p, t, l->series))
        tk_print(p, "    </testcase>\n");
    else
        tk_print(p, "\"/>\n");
}

/* Failures; of the events of no single series alone, or of all. */
static size_t count_failing(const struct tk_trend *t, bool shared)
{
    size_t n = 0;
    for (size_t i = 0; i < t->levels.n && !shared; i++) {
        bool any = false;
        for (size_t k = 0; k < t->events.n; k++)
            any |= t->events.v[k].alarms && t->events.v[k].series == t->levels.v[i].series;
        n += any && !isnan(t->levels.v[i].noise);
    }
    for (size_t k = 0; k < t->events.n; k++)
        n += t->events.v[k].alarms && !t->events.v[k].series;
    return n;
}

void tk_trend_report_junit(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    static const struct tk_run_faults none = {0}; /* the remarks of the history say which runs have some */
    size_t tests = count_failing(t, true);
    (void)setup;
    for (size_t i = 0; i < t->levels.n; i++)
        tests += isnan(t->levels.v[i].noise) ? 0 : 1;
    const struct tk_report_cases cases = {tests, count_failing(t, false), 0, NULL};
    tk_report_junit_begin(p, "trace-trend", &cases, &none, NULL);
    for (size_t i = 0; i < t->events.n; i++)
        if (t->events.v[i].alarms && !t->events.v[i].series) {
            tk_print(p, "    <testcase classname=\"shared\" name=\"");
            tk_trend_subject(p, &t->events.v[i], tk_print_xml);
            tk_print(p, "\">\n");
            put_failure(p, t, &t->events.v[i]);
            tk_print(p, "    </testcase>\n");
        }
    for (size_t i = 0; i < t->levels.n; i++)
        if (!isnan(t->levels.v[i].noise))
            put_series(p, t, &t->levels.v[i]);
    tk_report_junit_end(p);
}
