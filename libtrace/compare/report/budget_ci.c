/*
 * Budget reports for continuous integration: Markdown, CSV, JUnit XML (a test case for each budget), GitHub
 * annotations, SARIF 2.1.0. They are written from the results of budget.c.
 */
#include "compare/report/budget.h"
#include "compare/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *kind_of(const struct tk_budget *b)
{
    return tk_change_kind_name((enum tk_change_kind)b->kind);
}

/* "Lighting is over budget: ...; worst: frame 3 ..." */
static void sentence(struct tk_print *p, const struct tk_budgets *all, const struct tk_budget *b)
{
    struct tk_print place = {0};
    tk_budget_sentence(p, b);
    if (!b->why)
        tk_budget_place(&place, b);
    if (place.n) {
        tk_print(p, "; worst: ");
        tk_print_bytes(p, place.v, place.n);
    }
    tk_report_faults_summary(p, &all->faults, "; ");
    p->failed |= place.failed;
    free(place.v);
}

/* The sentence through an escape. */
static void escaped(struct tk_print *p, const struct tk_budgets *all, const struct tk_budget *b,
                    void (*put)(struct tk_print *p, const struct tk_str *s))
{
    struct tk_print text = {0};
    sentence(&text, all, b);
    tk_print_through(p, &text, put);
}

/* "0.586 of 0.55 ms/frame", or why there is no value. */
static void put_value(struct tk_print *p, const struct tk_budget *b)
{
    struct tk_print text = {0};
    if (b->why)
        tk_print(&text, "%s", b->why);
    else
        tk_budget_value(&text, b);
    tk_print_through(p, &text, tk_print_markdown);
}

static void print_row(struct tk_print *p, const struct tk_budget *b)
{
    struct tk_print place = {0};
    tk_print(p, "| ");
    tk_budget_name(p, b, tk_print_markdown);
    tk_print(p, " | %s, %s | %s | ", kind_of(b), tk_budget_measures(b),
             tk_budget_level_name((enum tk_budget_level)b->level));
    put_value(p, b);
    tk_print(p, " | ");
    tk_budget_use(p, b);
    tk_print(p, " | ");
    tk_budget_place(&place, b);
    tk_print_through(p, &place, tk_print_markdown);
    tk_print(p, " |\n");
}

/* Rows of those that are listed, or of the others; how many there were. */
static size_t print_rows(struct tk_print *p, const struct tk_budgets *all, bool listed)
{
    const struct tk_budget *b;
    size_t n = 0, more = 0, at = 0;
    while ((b = tk_budgets_next(all, listed, &at))) {
        if (p->n >= TK_REPORT_MARKDOWN_MOST) {
            more++;
            continue;
        }
        if (n++ == 0)
            tk_print(
                p,
                "\n| budget | what | verdict | value | of the limit | worst |\n|---|---|---|---|--:|---|\n");
        print_row(p, b);
    }
    if (more)
        tk_print(p, "\nand %zu more\n", more);
    return n;
}

static void print_folded(struct tk_print *p, const struct tk_budgets *all)
{
    size_t at = 0;
    if (!tk_budgets_next(all, false, &at))
        return;
    tk_print(p, "\n<details>\n<summary>Budgets that are met</summary>\n");
    print_rows(p, all, false);
    tk_print(p, "\n</details>\n");
}

static void print_said(struct tk_print *p, const struct tk_budgets *all,
                       void (*say)(struct tk_print *, const struct tk_budgets *), const char *around)
{
    struct tk_print text = {0};
    say(&text, all);
    tk_print(p, "%s", around);
    tk_print_through(p, &text, tk_print_markdown);
    tk_print(p, "%s\n", around);
}

void tk_budgets_markdown(struct tk_print *p, const struct tk_budgets *all,
                         const struct tk_report_setup *setup)
{
    (void)setup;
    print_said(p, all, tk_budgets_lead, "**");
    tk_print(p, "\n");
    print_said(p, all, tk_budgets_todo, "");
    tk_report_warnings_markdown(p, &all->sides);
    print_rows(p, all, true);
    print_folded(p, all);
    tk_print(p, "\n<details>\n<summary>What was checked</summary>\n\n* %s\n", tk_budgets_words);
    tk_report_sides_markdown(p, &all->sides);
    tk_report_faults_markdown(p, &all->faults);
    tk_print(p, "\n</details>\n");
}

void tk_budgets_csv(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    (void)setup;
    tk_print(p,
             "kind,name,thread,region,verdict,unit,value,warning,error,run,first_frame,last_frame,time_ms,"
             "captures,runs_side%s\n",
             all->owned ? ",owner" : "");
    for (size_t i = 0; i < all->v.n; i++) {
        const struct tk_budget *b = &all->v.v[i];
        const double reals[] = {b->value, b->warning, b->error};
        tk_print(p, "%s,", kind_of(b));
        tk_print_csv(p, b->name);
        tk_print(p, ",");
        if (b->where)
            tk_print_csv(p, b->where);
        tk_print(p, ",");
        if (b->region) {
            const struct tk_str region = {.p = b->region, .n = (uint32_t)strlen(b->region)};
            tk_print_csv(p, &region);
        }
        tk_print(p, ",%s,%s", tk_budget_level_name((enum tk_budget_level)b->level), b->unit);
        for (size_t k = 0; k < 3; k++) {
            tk_print(p, ",");
            if (isfinite(reals[k]))
                tk_print_real(p, reals[k], 9);
        }
        tk_print(p, ",%zu,", b->run);
        if (b->has_frames) {
            tk_print(p, "%llu,%llu,", (unsigned long long)b->first_frame, (unsigned long long)b->last_frame);
            tk_print_real(p, b->ms, 9);
        } else {
            tk_print(p, ",,");
        }
        tk_print(p, ",%s,", tk_run_faults_word(&all->faults));
        tk_report_side_csv(p, &all->sides, TK_RUN_CHECKED);
        if (all->owned)
            tk_print(p, ",");
        if (b->owner && b->owner->n)
            tk_print_csv(p, b->owner);
        tk_print(p, "\n");
    }
}

/* What is around the sentence of a test case that has not simply passed. */
static const struct {
    const char *begin, *end;
} junit[] = {[TK_BUDGET_MISSING] = {"<skipped message=\"", "\"/>"},
             [TK_BUDGET_WARNING] = {"<system-out>", "</system-out>"},
             [TK_BUDGET_ERROR] = {"<failure type=\"error\" message=\"", "\"/>"}};

/* Services know errors and warnings. */
static const char *severity_of(const struct tk_budget *b)
{
    return b->level == TK_BUDGET_ERROR ? "error" : "warning";
}

void tk_budgets_junit(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    (void)setup;
    struct tk_print lead = {0};
    const struct tk_report_cases cases = {all->v.n, tk_budgets_count(all, TK_BUDGET_ERROR),
                                          tk_budgets_count(all, TK_BUDGET_MISSING), NULL, &lead};
    tk_budgets_lead(&lead, all);
    tk_report_junit_begin(p, "trace-check", &cases, &all->faults, &all->sides);
    for (size_t i = 0; i < all->v.n; i++) {
        const struct tk_budget *b = &all->v.v[i];
        tk_print(p, "    <testcase classname=\"%s\" name=\"", kind_of(b));
        tk_print_xml(p, b->name);
        if (b->level == TK_BUDGET_PASSED) {
            tk_print(p, "\"/>\n");
            continue;
        }
        tk_print(p, "\">\n      %s", junit[b->level].begin);
        escaped(p, all, b, tk_print_xml);
        tk_print(p, "%s\n    </testcase>\n", junit[b->level].end);
    }
    tk_report_junit_end(p);
}

static void github_lead(struct tk_print *p, const struct tk_budgets *all)
{
    struct tk_print lead = {0};
    tk_budgets_lead(&lead, all);
    tk_print(&lead, " ");
    tk_budgets_todo(&lead, all);
    tk_print(p, "::%s title=trace-check::",
             all->worst == TK_BUDGET_ERROR || tk_sides_flawed(&all->sides) ? "error" : "notice");
    tk_print_through(p, &lead, tk_print_github_message);
    tk_print(p, "\n");
}

void tk_budgets_github(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    const struct tk_budget *b;
    size_t at = 0;
    (void)setup;
    github_lead(p, all);
    while ((b = tk_budgets_next(all, true, &at))) {
        tk_print(p, "::%s title=", b->level == TK_BUDGET_PASSED ? "notice" : severity_of(b));
        tk_print_github(p, b->name);
        tk_print(p, "::");
        escaped(p, all, b, tk_print_github_message);
        tk_print(p, "\n");
    }
    tk_report_sides_github(p, &all->sides, "trace-check");
    tk_report_faults_github(p, &all->faults, "trace-check");
}

static void sarif_budget(struct tk_json *j, const struct tk_budgets *all, const struct tk_budget *b)
{
    struct tk_report_result result = {.rule = kind_of(b), .level = severity_of(b), .name = b->name};
    sentence(&result.message, all, b);
    result.owner = b->owner;
    tk_report_sarif_result(j, &result);
}

void tk_budgets_sarif(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    struct tk_json j = tk_print_json_writer(p);
    struct tk_print lead = {0};
    (void)setup;
    tk_budgets_lead(&lead, all);
    tk_report_sarif_begin(&j, "trace-check", "over its budget", &all->faults, &all->sides, &lead);
    for (size_t i = 0; i < all->v.n; i++)
        if (all->v.v[i].level != TK_BUDGET_PASSED)
            sarif_budget(&j, all, &all->v.v[i]);
    tk_report_sarif_end(&j);
}
