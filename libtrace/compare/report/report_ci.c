/*
 * Reports for continuous integration: JUnit XML (a test case for each row of the comparison), GitHub
 * annotations, and SARIF 2.1.0. report_kinds.c lists them.
 */
#include "compare/report/report.h"

#include <stdio.h>

/* ---- JUnit ---- */

/* A change in a sentence with its cause, and its figures. */
static void put_finding(struct tk_print *p, const struct tk_change *c)
{
    tk_report_sentence(p, c);
    tk_print(p, "; ");
    tk_report_change(p, c);
}

static void put_finding_through(struct tk_print *p, const struct tk_change *c, tk_print_put *put)
{
    struct tk_print text = {0};
    put_finding(&text, c);
    tk_print_through(p, &text, put);
}

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
        put_finding_through(p, c, tk_print_xml);
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
    tk_print(p, "    <properties>\n      <property name=\"summary\" value=\"");
    tk_print_through(p, cases->summary, tk_print_xml);
    tk_print(p, "\"/>\n");
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
    struct tk_print lead = {0};
    const struct tk_report_cases cases = {tests, tk_report_count(c, TK_REGRESSED) - c->accepted,
                                          tk_report_count(c, TK_INCONCLUSIVE) + c->accepted, c, &lead};
    tk_report_lead(&lead, c);
    tk_report_junit_begin(p, "trace-diff", &cases, &c->faults, &c->sides);
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].tested)
            junit_case(p, &c->changes.v[i], &c->faults);
    tk_report_junit_end(p);
}

/* ---- GitHub ---- */

/* The sentences that all reports begin with, as the first line. */
static void github_lead(struct tk_print *p, const struct tk_comparison *c)
{
    struct tk_print lead = {0};
    tk_print(p, "::%s title=trace-diff::", c->worse ? "error" : "notice");
    tk_report_lead(&lead, c);
    tk_print(&lead, " ");
    tk_report_todo(&lead, c);
    tk_print_through(p, &lead, tk_print_github_message);
    tk_print(p, "\n");
}

static void github_change(struct tk_print *p, const struct tk_comparison *c, const struct tk_change *x)
{
    tk_print(p, "::%s title=", x->accepted ? "notice" : "error");
    tk_print_github(p, x->name);
    tk_print(p, " regressed");
    if (x->file->n) {
        tk_print(p, ",file=");
        tk_print_github(p, x->file);
        tk_print(p, ",line=%u", x->line);
    }
    tk_print(p, "::");
    put_finding_through(p, x, tk_print_github_message);
    if (x->acceptance) {
        tk_print(p, "; ");
        tk_print_github_message(p, x->acceptance);
    }
    tk_report_faults_summary(p, &c->faults, "; ");
    tk_print(p, "\n");
}

void tk_report_github(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    (void)setup;
    github_lead(p, c);
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].verdict == TK_REGRESSED)
            github_change(p, c, &c->changes.v[i]);
    tk_print(p, "::notice title=trace-diff::");
    tk_report_headline(p, c);
    tk_print(p, "\n");
    tk_report_sides_github(p, &c->sides, "trace-diff");
    tk_print(p, "::notice title=trace-diff::floors: ");
    tk_report_floors(p, c);
    tk_print(p, "\n");
    tk_report_faults_github(p, &c->faults, "trace-diff");
}

/* ---- SARIF ---- */

static void put_text(struct tk_json *j, const char *name, const char *text)
{
    tk_json_open(j, name, '{');
    tk_json_c(j, "text", text);
    tk_json_close(j);
}

static void put_file(struct tk_json *j, const struct tk_report_result *result)
{
    tk_json_open(j, "physicalLocation", '{');
    tk_json_open(j, "artifactLocation", '{');
    tk_json_member(j, "uri");
    tk_print_uri(j->to, result->file);
    tk_json_close(j);
    if (result->line) {
        tk_json_open(j, "region", '{');
        tk_json_u64(j, "startLine", result->line);
        tk_json_close(j);
    }
    tk_json_close(j);
}

static void put_locations(struct tk_json *j, const struct tk_report_result *result)
{
    char run[40];
    snprintf(run, sizeof run, "run %zu", result->run);
    tk_json_open(j, "locations", '[');
    tk_json_open(j, NULL, '{');
    if (result->file)
        put_file(j, result);
    tk_json_open(j, "logicalLocations", '[');
    tk_json_open(j, NULL, '{');
    if (result->name)
        tk_print_json_text(j, "name", result->name);
    else
        tk_json_c(j, "name", run);
    for (int i = 0; i < 4; i++)
        tk_json_close(j);
}

void tk_report_sarif_result(struct tk_json *j, struct tk_report_result *result)
{
    tk_json_line(j);
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "ruleId", result->rule);
    tk_json_c(j, "level", result->level);
    tk_json_open(j, "message", '{');
    tk_json_member(j, "text");
    tk_print_through(j->to, &result->message, tk_print_json);
    tk_json_close(j);
    put_locations(j, result);
    if (result->owner && result->owner->n) {
        tk_json_open(j, "properties", '{');
        tk_print_json_text(j, "owner", result->owner);
        tk_json_close(j);
    }
    tk_json_close(j);
}

static void sarif_change(struct tk_json *j, const struct tk_change *c, const struct tk_run_faults *faults)
{
    struct tk_report_result result = {.rule = tk_change_kind_name((enum tk_change_kind)c->kind),
                                      .level = c->accepted ? "note" : "error",
                                      .name = c->name,
                                      .file = c->file->n ? c->file : NULL,
                                      .line = c->line};
    put_finding(&result.message, c);
    if (c->acceptance) {
        tk_print(&result.message, "; ");
        tk_print_name(&result.message, c->acceptance);
    }
    tk_report_faults_summary(&result.message, faults, "; ");
    result.owner = c->owner;
    tk_report_sarif_result(j, &result);
}

static void sarif_flaw(struct tk_json *j, const struct tk_sides *sides, size_t i)
{
    struct tk_report_result result = {.rule = "runs", .level = "error", .run = sides->flaws.v[i].run + 1};
    tk_report_flaw(&result.message, sides, i);
    tk_report_sarif_result(j, &result);
}

/* Captures that are not sound are no results, but what the tool came across. */
static void sarif_faults(struct tk_json *j, const struct tk_run_faults *faults)
{
    if (!faults->v.n)
        return;
    tk_json_open(j, "invocations", '[');
    tk_json_open(j, NULL, '{');
    tk_json_bool(j, "executionSuccessful", true);
    tk_json_open(j, "toolExecutionNotifications", '[');
    for (size_t i = 0; i < faults->v.n; i++) {
        tk_json_open(j, NULL, '{');
        tk_json_c(j, "level", "warning");
        tk_json_open(j, "message", '{');
        tk_json_member(j, "text");
        tk_report_fault_through(j->to, &faults->v.v[i], tk_print_json);
        tk_json_close(j);
        tk_json_close(j);
    }
    for (int i = 0; i < 3; i++)
        tk_json_close(j);
}

static void put_rule(struct tk_json *j, const char *id, const char *text)
{
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "id", id);
    put_text(j, "shortDescription", text);
    tk_json_close(j);
}

static void put_tool(struct tk_json *j, const char *tool, const char *what)
{
    char text[96];
    tk_json_open(j, "tool", '{');
    tk_json_open(j, "driver", '{');
    tk_json_c(j, "name", tool);
    tk_json_c(j, "version", TK_VERSION);
    tk_json_open(j, "rules", '[');
    for (int k = 0; k < TK_CHANGE_KINDS; k++) {
        const char *name = tk_change_kind_name((enum tk_change_kind)k);
        snprintf(text, sizeof text, "%s %s", name, what);
        put_rule(j, name, text);
    }
    put_rule(j, "runs", "a run is not comparable");
    for (int i = 0; i < 3; i++)
        tk_json_close(j);
}

void tk_report_sarif_begin(struct tk_json *j, const char *tool, const char *what,
                           const struct tk_run_faults *faults, const struct tk_sides *sides,
                           struct tk_print *summary)
{
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    tk_json_c(j, "version", "2.1.0");
    tk_json_open(j, "runs", '[');
    tk_json_open(j, NULL, '{');
    put_tool(j, tool, what);
    sarif_faults(j, faults);
    tk_report_sides_sarif(j, sides, summary);
    tk_json_open(j, "results", '[');
    for (size_t i = 0; i < tk_report_flaws(sides); i++)
        sarif_flaw(j, sides, i);
}

void tk_report_sarif_end(struct tk_json *j)
{
    tk_json_line(j);
    for (int i = 0; i < 4; i++)
        tk_json_close(j);
    j->put(j->to, "\n", 1);
}

void tk_report_sarif(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    struct tk_json j = tk_print_json_writer(p);
    struct tk_print lead = {0};
    (void)setup;
    tk_report_lead(&lead, c);
    tk_report_sarif_begin(&j, "trace-diff", "regressed", &c->faults, &c->sides, &lead);
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].verdict == TK_REGRESSED)
            sarif_change(&j, &c->changes.v[i], &c->faults);
    tk_report_sarif_end(&j);
}
