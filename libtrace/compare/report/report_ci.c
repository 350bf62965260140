/*
 * Reports for continuous integration: JUnit XML (a test case for each row of the comparison), GitHub
 * annotations, and SARIF 2.1.0. report_kinds.c lists them.
 */
#include "compare/report/report.h"

#include <stdlib.h>

/* ---- JUnit ---- */

static void junit_case(struct tk_print *p, const struct tk_change *c)
{
    tk_print(p, "    <testcase classname=\"%s", tk_change_kind_name((enum tk_change_kind)c->kind));
    if (c->group->n) {
        tk_print(p, ".");
        tk_print_xml(p, c->group);
    }
    tk_print(p, "\" name=\"");
    tk_print_xml(p, c->name);
    if (c->verdict == TK_REGRESSED) {
        tk_print(p, "\">\n      <failure message=\"");
        tk_report_change(p, c);
        tk_print(p, "\" type=\"regressed\"/>\n    </testcase>\n");
    } else if (c->verdict == TK_INCONCLUSIVE) {
        tk_print(p, "\">\n      <skipped message=\"inconclusive: ");
        tk_report_change(p, c);
        tk_print(p, "\"/>\n    </testcase>\n");
    } else {
        tk_print(p, "\"/>\n");
    }
}

void tk_report_junit_begin(struct tk_print *p, const char *suite, size_t tests, size_t failures,
                           size_t skipped)
{
    tk_print(p, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    tk_print(p, "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
             suite, tests, failures, skipped);
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
    tk_report_junit_begin(p, "trace-diff", tests, tk_report_count(c, TK_REGRESSED),
                          tk_report_count(c, TK_INCONCLUSIVE));
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].tested)
            junit_case(p, &c->changes.v[i]);
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
        tk_print(p, "::error title=");
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
        tk_print(p, "\n");
    }
    tk_print(p, "::notice title=trace-diff::");
    tk_report_headline(p, c);
    tk_print(p, "\n");
}

/* ---- SARIF ---- */

static void sarif_result(struct tk_print *p, const struct tk_change *c)
{
    struct tk_print text = {0};
    tk_print_name(&text, c->name);
    tk_print(&text, ": ");
    tk_report_change(&text, c);
    struct tk_str message = {.p = text.v, .n = (uint32_t)text.n};
    tk_print(p, "{\"ruleId\":\"%s\",\"level\":\"error\",\"message\":{\"text\":",
             tk_change_kind_name((enum tk_change_kind)c->kind));
    tk_print_json(p, &message);
    tk_print(p, "},\"locations\":[{");
    if (c->file->n) {
        tk_print(p, "\"physicalLocation\":{\"artifactLocation\":{\"uri\":");
        tk_print_json(p, c->file);
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

void tk_report_sarif_begin(struct tk_print *p, const char *tool, const char *what)
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
    tk_print(p, "]}},\"results\":[");
}

void tk_report_sarif_end(struct tk_print *p)
{
    tk_print(p, "\n]}]}\n");
}

void tk_report_sarif(struct tk_print *p, const struct tk_comparison *c, const struct tk_report_setup *setup)
{
    bool first = true;
    (void)setup;
    tk_report_sarif_begin(p, "trace-diff", "regressed");
    for (size_t i = 0; i < c->changes.n; i++)
        if (c->changes.v[i].verdict == TK_REGRESSED) {
            tk_print(p, "%s\n", first ? "" : ",");
            sarif_result(p, &c->changes.v[i]);
            first = false;
        }
    tk_report_sarif_end(p);
}
