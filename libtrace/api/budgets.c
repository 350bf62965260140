/*
 * Budgets: files in, reports out. See tracekit.h and compare/report/budget.h.
 */
#include "base/given.h"
#include "base/struct_size.h"
#include "compare/report/budget.h"
#include "io/text_file.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(16) << 20)

int tk_budgets_load(struct tk_budgets **out, const char *path, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, path);
    struct tk_budgets *b = calloc(1, sizeof *b);
    char *text = NULL;
    size_t n;
    *out = NULL;
    int rc = b ? tk_text_file_read(&text, &n, path, MOST_BYTES, err) : tk_err_nomem(err, "budgets");
    if (rc == TK_OK)
        rc = tk_budgets_parse(b, text, n, err);
    free(text);
    if (rc < 0) {
        tk_budgets_free(b);
        tk_err_add(err, "cannot use budget '%s'", path);
        return rc;
    }
    *out = b;
    return TK_OK;
}

void tk_baseline_watch(struct tk_baseline *baseline, const struct tk_budgets *budgets)
{
    if (!baseline)
        return;
    baseline->watch = &budgets->watch;
}

int tk_budgets_apply(struct tk_budgets *b, const struct tk_baseline *runs,
                     const struct tk_budget_options *opt, struct tk_err *err)
{
    TK_GIVEN(err, b, runs);
    struct tk_budget_options all = TK_INIT(struct tk_budget_options);
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    b->mixed = all.mixed;
    b->allow_short = all.allow_short;
    b->without = all.baseline;
    if (runs->runs.n == 0)
        return tk_err_set(err, TK_EMATCH, "no run was given to check");
    rc = tk_budgets_check(b, runs, err);
    b->checked = rc == TK_OK;
    return rc;
}

bool tk_budgets_exceeded(const struct tk_budgets *b)
{
    if (!b)
        return false;
    return b->worst == TK_BUDGET_ERROR;
}

bool tk_budgets_comparable(const struct tk_budgets *b)
{
    if (!b)
        return false;
    return !tk_sides_flawed(&b->sides);
}

size_t tk_budgets_missing(const struct tk_budgets *b)
{
    if (!b)
        return 0;
    return tk_budgets_count(b, TK_BUDGET_MISSING);
}

const char *tk_budgets_missing_why(const struct tk_budgets *b, size_t i)
{
    if (!b)
        return NULL;
    for (size_t k = 0; k < b->v.n; k++)
        if (b->v.v[k].why && i-- == 0)
            return b->v.v[k].why;
    return NULL;
}

size_t tk_budgets_lost_regions(const struct tk_budgets *b)
{
    if (!b)
        return 0;
    return b->lost_regions;
}

static int send_budgets(struct tk_print *text, struct tk_output *out, struct tk_err *err)
{
    int rc = text->failed ? tk_err_nomem(err, "a report") : tk_output_write(out, text->v, text->n, err);
    free(text->v);
    return rc;
}

const char *const *tk_budgets_reports(void)
{
    static const char *const names[] = {"text",   "markdown", "json", "csv", "junit",
                                        "github", "sarif",    "html", NULL};
    return names;
}

int tk_budgets_report(const struct tk_budgets *b, const char *kind, struct tk_output *out,
                      const struct tk_report_options *opt, struct tk_err *err)
{
    TK_GIVEN(err, b, kind, out);
    struct tk_report_options all = TK_INIT(struct tk_report_options);
    struct tk_print text = {0};
    const struct tk_budget_report *report = tk_budget_reports;
    if (!b->checked)
        return tk_err_set(err, TK_EUSAGE, "the budgets were not checked against runs (tk_budgets_apply)");
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    text.guard = all.guard;
    const struct tk_report_setup setup = {all.colour, all.top, all.width, all.plain_ascii, false};
    while (report->name && strcmp(report->name, kind) != 0)
        report++;
    if (!report->name)
        return tk_err_set(err, TK_EMATCH, "there is no report '%s'", kind);
    report->print(&text, b, &setup);
    return send_budgets(&text, out, err);
}

int tk_budgets_write(const struct tk_baseline *runs, double margin, struct tk_output *out, struct tk_err *err)
{
    TK_GIVEN(err, runs, out);
    struct tk_print text = {0};
    if (runs->runs.n == 0)
        return tk_err_set(err, TK_EMATCH, "no run was given to derive budgets from");
    int rc = tk_budgets_propose(&text, runs, margin, err);
    if (rc == TK_OK)
        return send_budgets(&text, out, err);
    free(text.v);
    return rc;
}

void tk_budgets_free(struct tk_budgets *b)
{
    if (b)
        tk_budgets_release(b);
    free(b);
}
