/*
 * A trend as JUnit XML: a test case for each series that was tested, and one for each change of several.
 */
#include "trend/report/report_in.h"

#include <math.h>

static void put_message(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_trend_size(p, t, e, tk_print_xml);
    tk_print(p, " from ");
    tk_trend_night(p, t, e->night, tk_print_xml);
    tk_print(p, "; ");
    tk_trend_detail(p, t, e, tk_print_xml);
    tk_trend_notes(p, t, e, tk_print_xml);
}

/* Has a case something to say of an event? What is accepted is skipped, as trace-diff does. */
static bool is_said(const struct tk_trend_event *e)
{
    return e->alarms || e->accepted;
}

static void put_outcome(struct tk_print *p, const struct tk_trend *t, const struct tk_trend_event *e)
{
    tk_print(p, "      <%s message=\"", e->alarms ? "failure" : "skipped");
    put_message(p, t, e);
    tk_print(p, e->alarms ? "\" type=\"regressed\"/>\n" : "\"/>\n");
}

/* Outcomes of the events of one series. */
static size_t put_outcomes(struct tk_print *p, const struct tk_trend *t, const struct tk_history_series *s)
{
    size_t n = 0;
    for (size_t i = 0; i < t->events.n; i++)
        if (is_said(&t->events.v[i]) && t->events.v[i].series == s) {
            tk_print(p, n ? "" : "\">\n");
            put_outcome(p, t, &t->events.v[i]);
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
    if (put_outcomes(p, t, l->series))
        tk_print(p, "    </testcase>\n");
    else
        tk_print(p, "\"/>\n");
}

/* Counts the case of a series, or of an event of several, by the worst of its events. */
static void count_case(struct tk_report_cases *cases, bool fails, bool accepted)
{
    cases->tests++;
    cases->failures += fails;
    cases->skipped += accepted && !fails;
}

static struct tk_report_cases count_cases(const struct tk_trend *t)
{
    struct tk_report_cases cases = {0};
    for (size_t i = 0; i < t->levels.n; i++) {
        bool fails = false, accepted = false;
        for (size_t k = 0; k < t->events.n; k++)
            if (t->events.v[k].series == t->levels.v[i].series) {
                fails |= t->events.v[k].alarms;
                accepted |= t->events.v[k].accepted;
            }
        if (!isnan(t->levels.v[i].noise))
            count_case(&cases, fails, accepted);
    }
    for (size_t k = 0; k < t->events.n; k++)
        if (is_said(&t->events.v[k]) && !t->events.v[k].series)
            count_case(&cases, t->events.v[k].alarms, t->events.v[k].accepted);
    return cases;
}

void tk_trend_report_junit(struct tk_print *p, const struct tk_trend *t, const struct tk_report_setup *setup)
{
    static const struct tk_run_faults none = {0}; /* the remarks of the history say which runs have some */
    struct tk_print lead = {0};
    struct tk_trend_groups groups;
    struct tk_report_cases cases = count_cases(t);
    (void)setup;
    if (tk_trend_groups_make(&groups, t))
        p->failed = true;
    else
        tk_trend_lead(&lead, t, &groups);
    tk_trend_groups_release(&groups);
    cases.summary = &lead;
    tk_report_junit_begin(p, "trace-trend", &cases, &none, NULL);
    for (size_t i = 0; i < t->events.n; i++)
        if (is_said(&t->events.v[i]) && !t->events.v[i].series) {
            tk_print(p, "    <testcase classname=\"shared\" name=\"");
            tk_trend_subject(p, &t->events.v[i], tk_print_xml);
            tk_print(p, "\">\n");
            put_outcome(p, t, &t->events.v[i]);
            tk_print(p, "    </testcase>\n");
        }
    for (size_t i = 0; i < t->levels.n; i++)
        if (!isnan(t->levels.v[i].noise))
            put_series(p, t, &t->levels.v[i]);
    tk_report_junit_end(p);
}
