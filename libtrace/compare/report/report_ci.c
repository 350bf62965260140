/*
 * Reports for continuous integration: JUnit XML (a test case for each row of the comparison), GitHub
 * annotations, and SARIF 2.1.0. report_kinds.c lists them.
 */
#include "compare/report/report.h"

#include <stdlib.h>

/* ---- JUnit ---- */

static void junit_case(struct tk_print *p, const struct tk_change *c, const struct tk_run_faults *faults)
{
    tk_print(p, "    <testcase classname=\"%s", tk_change_kind_name((enum tk_change_kind)c->kind));
    if (c->group->n) {
        tk_print(p, ".");
        tk_print_xml(p, c->group);
    }
    tk_print(p, "\" name=\"");
    tk_print_xml(p, c->name);
    if (c->accepted) {
        tk_print(p, "\">\n      <skipped message=\"");
        tk_print_xml(p, c->acceptance);
        tk_print(p, "; ");
        tk_report_change(p, c);
        tk_print(p, "\"/>\n    </testcase>\n");
    } else if (c->verdict == TK_REGRESSED) {
        tk_print(p, "\">\n      <failure message=\"");
        tk_report_change(p, c);
        tk_report_faults_summary(p, faults, "; ");
        tk_print(p, "\" type=\"regressed\"/>\n    </testcase>\n");
    } else if (c->verdict == TK_INCONCLUSIVE) {
        tk_print(p, "\">\n      <skipped message=\"inconclusive: ");
        tk_report_change(p, c);
        tk_print(p, "\"/>\n    </testcase>\n");
    } else {
        tk_print(p, "\"/>\n");
    }
}

void tk_report_junit_begin(struct tk_print *p, const char *suite, const struct tk_report_cases *cases,
                           const struct tk_run_faults *faults, const struct tk_sides *sides)
{
    tk_print(p, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    tk_print(p, "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
             suite, cases->tests + tk_report_flaws(sides), cases->failures + tk_report_flaws(sides),
             cases->skipped);
    if (faults->v.n || sides)
        tk_print(p, "    <properties>\n");
    if (cases->of) {
        tk_print(p, "      <property name=\"floors\" value=\"");
        tk_report_floors(p, cases->of);
        tk_print(p, "\"/>\n");
    }
    tk_report_sides_junit(p, sides);
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "      <property name=\"capture\" value=\"");
        tk_report_fault_through(p, &faults->v.v[i], tk_print_xml);
        tk_print(p, "\"/>\n");
    }
    if (faults->v.n || sides)
        tk_print(p, "    </properties>\n");
    tk_report_flaws_junit(p, sides);
}

void tk_report_junit_end(struct tk_print *p)
{
    tk_print(p, "  </testsuite>\n</testsuites>\n");
}

void tk_report_junit(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    size_t tests = 0;
    (void)setup;
    for (size_t i = 0; i < c->changes.n; i++)
        tests += c->changes.v[i].tested;
    const struct tk_report_cases cases = {tests, tk_report_count(c, TK_REGRESSED) - c->accepted,
                                          tk_report_count(c, TK_INCONCLUSIVE) + c->accepted, c};
    tk_report_junit_begin(p, "trace-diff", &cases, &c->faults, &c->sides);
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].tested)
            junit_case(p, &c->changes.v[i], &c->faults);
    tk_report_junit_end(p);
}

/* ---- GitHub ---- */

void tk_report_github(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    (void)setup;
    for (size_t i = 0; i < c->changes.n; i++) {
        const struct tk_change *x = &c->changes.v[i];
        if (x->verdict != TK_REGRESSED)
            continue;
        tk_print(p, "::%s title=", x->accepted ? "notice" : "error");
        tk_print_github(p, x->name);
        tk_print(p, " regressed");
        if (x->file->n) {
            tk_print(p, ",file=");
            tk_print_github(p, x->file);
            tk_print(p, ",line=%u", x->line);
        }
        tk_print(p, "::%s ", tk_change_kind_name((enum tk_change_kind)x->kind));
        tk_print_github_message(p, x->name);
        tk_print(p, ": ");
        tk_report_change(p, x);
        if (x->acceptance) {
            tk_print(p, "; ");
            tk_print_github_message(p, x->acceptance);
        }
        tk_report_faults_summary(p, &c->faults, "; ");
        tk_print(p, "\n");
    }
    tk_report_sides_github(p, &c->sides, "trace-diff");
    tk_print(p, "::notice title=trace-diff::floors: ");
    tk_report_floors(p, c);
    tk_print(p, "\n");
    tk_report_faults_github(p, &c->faults, "trace-diff");
    tk_print(p, "::notice title=trace-diff::");
    tk_report_headline(p, c);
    tk_print(p, "\n");
}

/* ---- SARIF ---- */

static void sarif_result(struct tk_print *p, const struct tk_change *c, const struct tk_run_faults *faults)
{
    struct tk_print text = {0};
    tk_print_name(&text, c->name);
    tk_print(&text, ": ");
    tk_report_change(&text, c);
    if (c->acceptance) {
        tk_print(&text, "; ");
        tk_print_name(&text, c->acceptance);
    }
    tk_report_faults_summary(&text, faults, "; ");
    struct tk_str message = {.p = text.v, .n = (uint32_t)text.n};
    tk_print(p, "{\"ruleId\":\"%s\",\"level\":\"%s\",\"message\":{\"text\":",
             tk_change_kind_name((enum tk_change_kind)c->kind), c->accepted ? "note" : "error");
    tk_print_json(p, &message);
    tk_print(p, "},\"locations\":[{");
    if (c->file->n) {
        tk_print(p, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
        tk_print_uri(p, c->file);
        tk_print(p, "}");
        if (c->line)
            tk_print(p, ",\"region\":{\"startLine\":%u}", c->line);
        tk_print(p, "},");
    }
    tk_print(p, "\"logicalLocations\":[{\"name\":");
    tk_print_json(p, c->name);
    tk_print(p, "}]}]}");
    p->failed |= text.failed;
    free(text.v);
}

/* Captures that are not sound are no results, but what the tool came across. */
static void sarif_faults(struct tk_print *p, const struct tk_run_faults *faults)
{
    if (!faults->v.n)
        return;
    tk_print(p, ",\"invocations\":[{\"executionSuccessful\":true,\"toolExecutionNotifications\":[");
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_print(p, "%s{\"level\":\"warning\",\"message\":{\"text\":", i ? "," : "");
        tk_report_fault_through(p, &faults->v.v[i], tk_print_json);
        tk_print(p, "}}");
    }
    tk_print(p, "]}]");
}

void tk_report_sarif_begin(struct tk_print *p, const char *tool, const char *what,
                           const struct tk_run_faults *faults, const struct tk_sides *sides)
{
    tk_print(
        p,
        "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{"
        "\"tool\":{\"driver\":{\"name\":\"%s\",\"version\":\"%s\",\"rules\":[",
        tool, TK_VERSION);
    for (int k = 0; k < TK_CHANGE_KINDS; k++)
        tk_print(p, "%s{\"id\":\"%s\",\"shortDescription\":{\"text\":\"%s %s\"}}", k ? "," : "",
                 tk_change_kind_name((enum tk_change_kind)k), tk_change_kind_name((enum tk_change_kind)k),
                 what);
    tk_print(p, ",{\"id\":\"runs\",\"shortDescription\":{\"text\":\"a run is not comparable\"}}]}}");
    sarif_faults(p, faults);
    tk_report_sides_sarif(p, sides);
    tk_print(p, ",\"results\":[");
}

void tk_report_sarif_end(struct tk_print *p)
{
    tk_print(p, "\n]}]}\n");
}

void tk_report_sarif(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    bool first = true;
    (void)setup;
    tk_report_sarif_begin(p, "trace-diff", "regressed", &c->faults, &c->sides);
    tk_report_flaws_sarif(p, &c->sides, &first);
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].verdict == TK_REGRESSED) {
            tk_print(p, "%s\n", first ? "" : ",");
            sarif_result(p, &c->changes.v[i], &c->faults);
            first = false;
        }
    tk_report_sarif_end(p);
}
