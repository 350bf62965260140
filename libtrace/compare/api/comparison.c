/*
 * Comparisons and their reports.
 */
#include "base/err.h"
#include "base/given.h"
#include "compare/api/run_pictures.h"
#include "compare/baseline/run_info.h"
#include "compare/report/budget.h"
#include "compare/report/report.h"
#include "compare/verdict/compare.h"
#include "io/file.h"
#include "judge/outcomes.h"
#include "table/cell.h"
#include "table/sink.h"
#include "tracekit/sinks.h"
#include "tracekit/trends.h"
#include "trend/accepted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The changes of a comparison as rows of a table.
 */

enum {
    KIND,
    NAME,
    GROUP,
    VERDICT,
    UNIT,
    BASELINE,
    CANDIDATE,
    RATIO,
    LOW,
    HIGH,
    P,
    RENAMED_TO,
    BECAUSE_OF,
    METRIC,
    PATH,
    RAW_RATIO,
    FUNCTION,
    COLUMNS
};

/* The names are those of the report `csv`. */
static const struct tk_column columns[COLUMNS] = {
    [KIND] = {"kind", TK_TEXT, 0, NULL,
              "frame, hitches, smoothness, thread, timer, path, gpu, counter, memory, log, loading, common"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "what is compared"},
    [GROUP] = {"thread", TK_TEXT, 0, NULL, "its thread class, queue, category, ..."},
    [VERDICT] = {"verdict", TK_TEXT, 0, NULL,
                 "regressed, improved, unchanged, inconclusive, added, removed, renamed"},
    [UNIT] = {"unit", TK_TEXT, 0, NULL, "unit of baseline and candidate: ms/frame, ms, 1/min, bytes, %"},
    [BASELINE] = {"baseline", TK_REAL, 0, NULL, "mean over the runs of the baseline"},
    [CANDIDATE] = {"candidate", TK_REAL, 0, NULL, "mean over the runs of the candidate"},
    [RATIO] = {"ratio", TK_REAL, 0, NULL,
               "candidate divided by baseline as it is judged: without outliers and a removed shared shift"},
    [LOW] = {"low", TK_REAL, 0, NULL, "lower end of the 95 % interval of the ratio"},
    [HIGH] = {"high", TK_REAL, 0, NULL, "upper end of the 95 % interval of the ratio"},
    [P] = {"p", TK_REAL, 0, NULL, "p-value, corrected for the number of tests"},
    [RENAMED_TO] = {"renamed_to", TK_TEXT, 0, NULL, "its name in the candidate, if that differs"},
    [BECAUSE_OF] = {"because_of", TK_TEXT, 0, NULL, "the change that explains it"},
    [METRIC] = {"metric", TK_TEXT, 0, NULL, "which value, if the kind has several"},
    [PATH] = {"path", TK_TEXT, 0, NULL, "call path with most of the change, names separated by ;"},
    [RAW_RATIO] = {"raw_ratio", TK_REAL, 0, NULL, "candidate divided by baseline, as measured"},
    [FUNCTION] = {"function", TK_TEXT, 0, NULL,
                  "for timers: the function with most of the change, by stack samples"},
};

static const struct tk_table changes = {
    .name = "changes",
    .help = "differences between two sets of runs, with verdicts",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
};

static struct tk_cell real_cell(double v)
{
    return isfinite(v) ? (struct tk_cell){.kind = TK_REAL, .v.r = v} : (struct tk_cell){.kind = TK_NONE};
}

static void fill_comparison_rows(struct tk_cell row[COLUMNS], const struct tk_change *c)
{
    row[KIND] = tk_cell_of_c(tk_change_kind_name((enum tk_change_kind)c->kind));
    row[NAME] = tk_cell_of_nonempty(c->name);
    row[GROUP] = tk_cell_of_nonempty(c->group);
    row[VERDICT] = tk_cell_of_c(tk_verdict_name((enum tk_verdict)c->verdict));
    row[UNIT] = tk_cell_of_c(c->unit);
    row[BASELINE] = real_cell(c->baseline);
    row[CANDIDATE] = real_cell(c->candidate);
    row[RATIO] = real_cell(c->ratio);
    row[LOW] = real_cell(c->low);
    row[HIGH] = real_cell(c->high);
    row[P] = real_cell(c->p);
    row[RENAMED_TO] = tk_cell_of_nonempty(c->to);
    row[BECAUSE_OF] = tk_cell_of_nonempty(c->cause ? c->cause->name : NULL);
    row[METRIC] = tk_cell_of_c(c->metric);
    row[PATH] = tk_cell_of_nonempty(c->path);
    row[RAW_RATIO] = real_cell(c->raw_ratio);
    row[FUNCTION] = tk_cell_of_nonempty(c->function);
}

int tk_comparison_rows(const struct tk_comparison *c, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, c, sink);
    struct tk_cell row[COLUMNS];
    int rc = tk_sink_begin(sink, &changes, err);
    for (size_t i = 0; i < c->changes.n && rc >= 0; i++) {
        fill_comparison_rows(row, &c->changes.v[i]);
        rc = tk_sink_row(sink, &changes, row, err);
    }
    if (rc >= 0)
        rc = tk_sink_end(sink, &changes, err);
    return rc < 0 ? rc : TK_OK;
}

int tk_comparison_result(struct tk_result **out, const struct tk_comparison *comparison, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, comparison);
    int rc = tk_result_new(out, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(*out);
    rc = tk_comparison_rows(comparison, &sink, err);
    if (rc < 0) {
        tk_result_free(*out);
        *out = NULL;
    }
    return rc;
}

/*
 * Budgets: files in, reports out.
 */

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
        return tk_outcome_fail(err, TK_OUTCOME_NO_BASE, "no run was given to check");
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
    const struct tk_report_setup setup = {
        .colour = all.colour, .top = all.top, .width = all.width, .ascii = all.plain_ascii};
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

/*
 * Accepted regressions: files in.
 */

#define ACCEPTED_MOST_BYTES (UINT64_C(16) << 20)

static int read_accepted(struct tk_acceptances *a, const char *path, struct tk_err *err)
{
    char *text;
    size_t n;
    int rc = tk_text_file_read(&text, &n, path, ACCEPTED_MOST_BYTES, err);
    if (rc == TK_OK)
        rc = tk_accepted_parse(a, text, n, err);
    free(text);
    if (rc < 0)
        tk_err_add(err, "cannot use '%s'", path);
    return rc;
}

int tk_comparison_accept(struct tk_comparison *c, const char *path, int64_t now, struct tk_err *err)
{
    TK_GIVEN(err, c, path);
    struct tk_acceptances a = {0};
    int rc = read_accepted(&a, path, err);
    if (rc == TK_OK)
        rc = tk_accepted_apply(&a, c, now, err);
    tk_accepted_release(&a);
    return rc;
}

int tk_trend_accept(struct tk_trend *t, const char *path, int64_t now, struct tk_err *err)
{
    TK_GIVEN(err, t, path);
    struct tk_acceptances a = {0};
    int rc = read_accepted(&a, path, err);
    if (rc == TK_OK)
        rc = tk_accepted_apply_trend(&a, t, now, err);
    tk_accepted_release(&a);
    return rc;
}

size_t tk_comparison_accepted(const struct tk_comparison *c)
{
    if (!c)
        return 0;
    return c->accepted;
}

static int64_t last_time(const struct tk_baseline *b)
{
    int64_t last = INT64_MIN, when;
    for (size_t i = 0; i < b->runs.n; i++)
        if (tk_base_run_when(b->runs.v[i], &when) && when > last)
            last = when;
    return last == INT64_MIN ? INT64_MAX : last;
}

int tk_compare(struct tk_comparison **out, const struct tk_baseline *baseline,
               const struct tk_baseline *candidate, const struct tk_compare_options *opt, struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, baseline, candidate);
    struct tk_compare_options all = TK_INIT(struct tk_compare_options);
    *out = NULL;
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    const struct tk_compare_setup setup = {.floor_ratio = all.floor_ratio,
                                           .floor_frame = all.floor_frame,
                                           .floor_ms = all.floor_ms,
                                           .chance = all.chance,
                                           .warmup = all.warmup,
                                           .mixed = all.mixed,
                                           .ignore_common = all.ignore_common,
                                           .allow_short = all.allow_short,
                                           .target = all.target,
                                           .cell = all.cell,
                                           .cell_z = all.cell_z};
    struct tk_comparison *c = calloc(1, sizeof *c);
    if (!c)
        return tk_err_nomem(err, "a comparison");
    rc = tk_comparison_make(c, baseline, candidate, all.noise, &setup, err);
    if (rc == TK_OK &&
        (tk_comparison_take_pictures(c, 0, baseline) || tk_comparison_take_pictures(c, 1, candidate)))
        rc = tk_err_nomem(err, "recorded pictures");
    if (rc < 0) {
        tk_comparison_free(c);
        return rc;
    }
    c->candidate_time = last_time(candidate);
    *out = c;
    return TK_OK;
}

bool tk_comparison_regressed(const struct tk_comparison *c)
{
    if (!c)
        return false;
    return c->worse || tk_sides_flawed(&c->sides);
}

bool tk_comparison_comparable(const struct tk_comparison *c)
{
    if (!c)
        return false;
    return !tk_sides_flawed(&c->sides);
}

bool tk_comparison_inconclusive(const struct tk_comparison *c)
{
    if (!c)
        return false;
    return c->unsure;
}

const char *const *tk_comparison_reports(void)
{
    static const char *const names[] = {"text",  "markdown", "json",       "csv",  "junit", "github",
                                        "sarif", "folded",   "flamegraph", "html", NULL};
    return names;
}

static const struct tk_report_kind *find_kind(const char *name)
{
    const struct tk_report_kind *kind = tk_report_kinds;
    while (kind->name && strcmp(kind->name, name) != 0)
        kind++;
    return kind->name ? kind : NULL;
}

int tk_comparison_report(const struct tk_comparison *c, const char *kind, struct tk_output *out,
                         const struct tk_report_options *opt, struct tk_err *err)
{
    TK_GIVEN(err, c, kind, out);
    const struct tk_report_kind *found = find_kind(kind);
    struct tk_report_options all = TK_INIT(struct tk_report_options);
    struct tk_print text = {0};
    int rc = tk_struct_size_take(&all, sizeof all, opt, "the options", err);
    if (rc < 0)
        return rc;
    if (!found)
        return tk_err_set(err, TK_EMATCH, "there is no report '%s'", kind);
    if (found->print == tk_report_folded && (c->torn[0] || c->torn[1]))
        return tk_err_set(
            err, TK_EMATCH,
            "call paths of this selection are unknown: a run has more regions than it stores call paths for");
    text.guard = all.guard;
    const struct tk_report_setup setup = {
        .colour = all.colour, .top = all.top, .width = all.width, .ascii = all.plain_ascii};
    found->print(&text, c, &setup);
    rc = text.failed ? tk_err_nomem(err, "a report") : tk_output_write(out, text.v, text.n, err);
    free(text.v);
    return rc;
}

void tk_comparison_free(struct tk_comparison *c)
{
    if (c)
        tk_comparison_release(c);
    free(c);
}
