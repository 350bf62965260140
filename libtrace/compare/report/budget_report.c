/*
 * Budget reports for terminals and as JSON, and proposed budget files. They are written from the results of
 * budget.c.
 */
#include "compare/report/budget.h"
#include "compare/report/report_html.h"

#include <math.h>
#include <string.h>

/*
 * The list of kinds of budget reports. The public functions for reports choose from it by name.
 */

const struct tk_budget_report tk_budget_reports[] = {
    {"text", tk_budgets_text},   {"markdown", tk_budgets_markdown}, {"json", tk_budgets_json},
    {"csv", tk_budgets_csv},     {"junit", tk_budgets_junit},       {"github", tk_budgets_github},
    {"sarif", tk_budgets_sarif}, {"html", tk_budgets_html},         {NULL, NULL},
};

/*
 * The page of a check: one HTML file without a script. budget_kinds.c lists it.
 */

static const char *const shapes[] = {"✓", "?", "△", "▲"};

static void print_value(struct tk_print *p, double v, const char *unit)
{
    struct tk_print text = {0};
    if (isnan(v)) {
        tk_print(p, "<td class=\"n\"></td>");
        return;
    }
    tk_print(p, "<td class=\"n\"><data value=\"");
    tk_print_real(p, v, 9);
    tk_print(p, "\">");
    tk_report_value(&text, v, unit);
    tk_report_html_text(p, &text);
    tk_print(p, "</data></td>");
}

/* How much of its limit is used: a bar, and the limit as a line at two thirds. */
static void print_use(struct tk_print *p, const struct tk_budget *b)
{
    const double limit = tk_budget_limit(b), use = limit > 0 && isfinite(b->value) ? b->value / limit : 0;
    tk_print(p, "<td>");
    if (use > 0) {
        tk_print(p,
                 "<svg width=\"180\" height=\"16\" role=\"img\" aria-label=\"value against its limit\"><rect "
                 "class=\"%s\" x=\"0\" "
                 "y=\"3\" height=\"10\" width=\"",
                 b->level == TK_BUDGET_ERROR ? "slower" : "after");
        tk_print_fixed(p, fmin(use, 1.5) * 120, 1);
        tk_print(p, "\"/><line class=\"mean\" x1=\"120\" x2=\"120\" y1=\"0\" y2=\"16\"/></svg>");
    }
    tk_print(p, "</td>");
}

static void budget_html_print_budget(struct tk_print *p, const struct tk_budget *b)
{
    struct tk_print place = {0};
    tk_print(p, "<tr><td class=\"%s\">%s %s</td><td class=\"what\"><strong>",
             tk_budget_level_name((enum tk_budget_level)b->level), shapes[b->level],
             tk_budget_level_name((enum tk_budget_level)b->level));
    tk_budget_name(p, b, tk_print_xml);
    tk_print(p, "</strong><small>%s, %s", tk_change_kind_name((enum tk_change_kind)b->kind),
             tk_budget_measures(b));
    if (b->region) {
        struct tk_print region = {0};
        tk_print(&region, ", in region %s", b->region);
        tk_report_html_text(p, &region);
    }
    tk_print(p, "</small></td>");
    print_value(p, b->value, b->unit);
    print_value(p, b->warning, b->unit);
    print_value(p, b->error, b->unit);
    print_use(p, b);
    tk_print(p, "<td>");
    if (b->why)
        tk_print(&place, "%s", b->why);
    else if (b->has_frames || b->run || b->where)
        tk_budget_place(&place, b);
    tk_report_html_text(p, &place);
    tk_print(p, "</td></tr>\n");
}

typedef void say(struct tk_print *p, const struct tk_budgets *all);

static void print_said(struct tk_print *p, const struct tk_budgets *all, say *said)
{
    struct tk_print text = {0};
    said(&text, all);
    tk_report_html_text(p, &text);
}

static void print_head(struct tk_print *p, const struct tk_budgets *all)
{
    const bool bad = all->worst == TK_BUDGET_ERROR || tk_sides_flawed(&all->sides);
    struct tk_print warnings = {0};
    tk_print(p, "<header><h1>Budgets</h1>\n<p class=\"verdict %s\">%s <strong>", bad ? "error" : "",
             tk_sides_flawed(&all->sides) ? "!" : shapes[all->worst]);
    print_said(p, all, tk_budgets_lead);
    tk_print(p, "</strong></p>\n<p>");
    print_said(p, all, tk_budgets_todo);
    tk_print(p, "</p>\n");
    tk_report_warnings_text(&warnings, &all->sides, 0);
    if (warnings.n) {
        tk_print(p, "<ul class=\"sides\">\n");
        tk_report_html_lines(p, &warnings);
        tk_print(p, "</ul>\n");
    }
    tk_print(p, "</header>\n");
}

static void print_table(struct tk_print *p, const struct tk_budgets *all, bool listed)
{
    static const struct tk_report_column columns[] = {
        {"verdict", false}, {"budget", false},         {"value", true},        {"warning", true},
        {"error", true},    {"value by limit", false}, {"worst place", false}, {NULL, false}};
    const struct tk_budget *b;
    size_t at = 0;
    if (!tk_budgets_next(all, listed, &at))
        return;
    at = 0;
    tk_html_section(tk_print_html(p), listed ? "budgets" : "met",
                    listed ? "Exceeded, close or missing" : "Met");
    tk_print(p, listed ? "" : "<details>\n<summary>budgets that are met</summary>\n");
    tk_report_html_table(p, listed ? "budgets" : "met", "Values of the worst run, and limits", columns);
    while ((b = tk_budgets_next(all, listed, &at)))
        budget_html_print_budget(p, b);
    tk_html_table_end(tk_print_html(p));
    tk_print(p, listed ? "" : "</details>\n");
    tk_html_section_end(tk_print_html(p));
}

static void print_checked(struct tk_print *p, const struct tk_budgets *all)
{
    struct tk_print sides = {0}, faults = {0};
    tk_html_section(tk_print_html(p), "method", "What was checked");
    tk_print(p, "<details>\n<summary>runs, and words</summary>\n<ul class=\"sides\">\n<li>%s</li>\n",
             tk_budgets_words);
    tk_report_sides_text(&sides, &all->sides, 0);
    tk_report_faults_text(&faults, &all->faults);
    tk_report_html_lines(p, &sides);
    tk_report_html_lines(p, &faults);
    tk_print(p, "</ul>\n</details>\n");
    tk_html_section_end(tk_print_html(p));
}

void tk_budgets_html(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    (void)setup;
    tk_report_html_begin(p, "Budgets");
    print_head(p, all);
    print_table(p, all, true);
    print_table(p, all, false);
    print_checked(p, all);
    tk_report_html_end(p);
}

#define LEAST_MS      0.02 /* smaller timers get no budget */
#define SINGLE_SPREAD 0.12 /* what single runs of one build differ by at most, if runs differ by 4 % */

#define LEVEL 7 /* letters of the longest verdict */

static void print_budget(struct tk_print *p, const struct tk_budget *b, const struct tk_report_setup *setup)
{
    static const char *const colours[] = {"\033[32m", "\033[35m", "\033[35m", "\033[31m"};
    struct tk_print_line l = tk_print_line(p, setup->width);
    tk_print(p, "%s ", tk_change_kind_name((enum tk_change_kind)b->kind));
    tk_budget_name(p, b, tk_print_name);
    tk_print_pad(p, l.from, 44);
    const char *level = tk_budget_level_name((enum tk_budget_level)b->level);
    tk_print(p, "  %s%s%s", setup->colour ? colours[b->level] : "", level, setup->colour ? "\033[0m" : "");
    tk_print_piece(&l);
    tk_print(p, "%*s", (int)(LEVEL + 2 - strlen(level)), "");
    if (b->why)
        tk_print(p, "%s", b->why);
    else
        tk_budget_value(p, b);
    tk_print_piece(&l);
    if (!b->why)
        tk_print(p, " %s", tk_budget_measures(b));
    tk_print_piece(&l);
    if (b->region) {
        tk_print(p, "  in region %s", b->region);
        tk_print_piece(&l);
    }
    if (b->has_frames || b->run || b->where) {
        tk_print(p, "  worst: ");
        tk_budget_place(p, b);
        tk_print_piece(&l);
    }
    tk_print(p, "\n");
}

/* A paragraph in lines of the width. */
static void print_paragraph(struct tk_print *p, const struct tk_budgets *all,
                            const struct tk_report_setup *setup, say *said)
{
    const size_t from = p->n;
    said(p, all);
    tk_print_break(p, from, setup->width ? setup->width : TK_REPORT_WIDTH);
    tk_print(p, "\n");
}

/* Those that are met, without their places. */
static void say_met(struct tk_print *p, const struct tk_budgets *all)
{
    const struct tk_budget *b;
    size_t n = 0, at = 0;
    while ((b = tk_budgets_next(all, false, &at))) {
        tk_print(p, "%s", n++ ? ", " : "\nMet, with their share of the limit: ");
        tk_budget_name(p, b, tk_print_name);
        tk_print(p, " ");
        tk_budget_use(p, b);
        p->n -= p->n && p->v[p->n - 1] == ' ';
    }
}

static void say_words(struct tk_print *p, const struct tk_budgets *all)
{
    (void)all;
    tk_print(p, "%s", tk_budgets_words);
}

void tk_budgets_text(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    const size_t width = setup->width ? setup->width : TK_REPORT_WIDTH;
    const struct tk_budget *b;
    size_t at = 0;
    print_paragraph(p, all, setup, tk_budgets_lead);
    print_paragraph(p, all, setup, tk_budgets_todo);
    tk_report_warnings_text(p, &all->sides, width);
    if (tk_budgets_next(all, true, &at))
        tk_print(p, "\n");
    at = 0;
    while ((b = tk_budgets_next(all, true, &at)))
        print_budget(p, b, setup);
    at = 0;
    if (tk_budgets_next(all, false, &at))
        print_paragraph(p, all, setup, say_met);
    tk_print(p, "\nWhat was checked\n");
    print_paragraph(p, all, setup, say_words);
    tk_report_sides_text(p, &all->sides, width);
    tk_report_faults_text(p, &all->faults);
}

static void put_c(struct tk_json *j, const char *name, const char *text)
{
    const struct tk_str s = {.p = text, .n = text ? (uint32_t)strlen(text) : 0};
    tk_print_json_text(j, name, text ? &s : NULL);
}

static void put_budget(struct tk_json *j, const struct tk_budget *b, bool owned)
{
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "kind", tk_change_kind_name((enum tk_change_kind)b->kind));
    tk_print_json_text(j, "name", b->name);
    tk_print_json_text(j, "thread", b->where);
    if (b->now)
        tk_print_json_text(j, "renamed_to", b->now);
    tk_json_c(j, "verdict", tk_budget_level_name((enum tk_budget_level)b->level));
    tk_json_c(j, "unit", b->unit);
    tk_json_c(j, "measures", tk_budget_measures(b));
    tk_json_real(j, "value", b->value, 9);
    tk_json_real(j, "warning", b->warning, 9);
    tk_json_real(j, "error", b->error, 9);
    put_c(j, "region", b->region);
    if (b->cell > 0)
        tk_json_real(j, "cell", b->cell, 9);
    if (owned)
        tk_print_json_text(j, "owner", b->owner && b->owner->n ? b->owner : NULL);
    if (b->why)
        put_c(j, "why", b->why);
    tk_json_u64(j, "run", b->run);
    if (b->has_frames) {
        tk_json_open(j, "frames", '[');
        tk_json_u64(j, NULL, b->first_frame);
        tk_json_u64(j, NULL, b->last_frame);
        tk_json_close(j);
        tk_json_real(j, "time_ms", b->ms, 9);
    }
    tk_json_close(j);
}

void tk_budgets_json(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    struct tk_json j = tk_print_json_writer(p);
    struct tk_print lead = {0};
    (void)setup;
    tk_json_open(&j, NULL, '{');
    tk_json_u64(&j, "schema", 1);
    tk_budgets_lead(&lead, all);
    tk_json_member(&j, "summary");
    tk_print_through(p, &lead, tk_print_json);
    tk_json_c(&j, "verdict",
              tk_sides_flawed(&all->sides) ? "not comparable"
                                           : tk_budget_level_name((enum tk_budget_level)all->worst));
    tk_report_faults_json(&j, &all->faults);
    tk_report_sides_json(&j, &all->sides);
    tk_json_open(&j, "budgets", '[');
    for (size_t i = 0; i < all->v.n; i++) {
        tk_json_line(&j);
        put_budget(&j, &all->v.v[i], all->owned);
    }
    tk_json_line(&j);
    tk_json_close(&j);
    tk_json_close(&j);
    tk_print(p, "\n");
}

/* ---- proposals ---- */

#define ROUNDING 1e-12 /* what decimal places may take from a number */

/* A limit that the value keeps, in four digits. */
static void put_limit(struct tk_json *j, const char *name, double limit, double value)
{
    double unit = limit != 0 ? pow(10, floor(log10(fabs(limit))) - 3) : 0;
    bool below = unit > 0 && round(limit / unit) * unit < value + fabs(value) * ROUNDING;
    tk_json_real(j, name, below ? limit + unit : limit, 4);
}

/* Memory of what is freed may be below 0: a limit is above its value in any case. */
static double limit_of(const struct tk_budget *b, double above, double margin)
{
    return b->value + fabs(b->value) * (above * (1 + margin) - 1);
}

static void propose(struct tk_json *j, const struct tk_budget *b, double above, double margin)
{
    tk_json_line(j);
    tk_json_open(j, NULL, '{');
    tk_json_c(j, "kind", tk_change_kind_name((enum tk_change_kind)b->kind));
    tk_print_json_text(j, "name", b->name);
    if (b->thread)
        tk_print_json_text(j, "thread", b->thread);
    put_limit(j, "warning", limit_of(b, above, margin / 2), b->value);
    put_limit(j, "error", limit_of(b, above, margin), b->value);
    tk_json_close(j);
}

static int add_report(struct tk_budgets *all, uint8_t kind, const struct tk_str *name,
                      const struct tk_str *thread)
{
    struct tk_budget b = {.kind = kind, .warning = NAN, .error = NAN};
    b.name = tk_intern(&all->names, name->p, name->n, (enum tk_encoding)name->enc);
    b.thread = thread && thread->n
                   ? tk_intern(&all->names, thread->p, thread->n, (enum tk_encoding)thread->enc)
                   : NULL;
    return b.name && !tk_vec_push(&all->v, b) ? 0 : -1;
}

static int list(struct tk_budgets *all, const struct tk_base_run *run)
{
    static const char *const percentiles[] = {"p50", "p95", "p99"};
    static const uint8_t kinds[TK_SERIES_KINDS] = {TK_CHANGE_TIMER,  TK_CHANGE_GPU, TK_CHANGE_COUNTER,
                                                   TK_CHANGE_MEMORY, TK_CHANGE_LOG, TK_CHANGE_LOADING};
    for (size_t i = 0; i < 3; i++) {
        const struct tk_str *name = tk_intern_c(&all->names, percentiles[i]);
        if (!name || add_report(all, TK_CHANGE_FRAME, name, NULL))
            return -1;
    }
    for (size_t i = 0; i < run->series.n; i++) {
        const struct tk_series *s = run->series.v[i];
        double ms = tk_base_ms(run, (double)s->own) / (double)run->frames.n;
        if (tk_series_is_counted(s->kind) || s->kind == TK_SERIES_COUNTER ||
            (s->kind == TK_SERIES_LOADING && s->group->n) || (tk_series_has_calls(s->kind) && ms < LEAST_MS))
            continue;
        if (add_report(all, kinds[s->kind], s->name, s->group))
            return -1;
    }
    return 0;
}

int tk_budgets_propose(struct tk_print *out, const struct tk_baseline *runs, double margin,
                       struct tk_err *err)
{
    struct tk_budgets all = {0};
    struct tk_json j = tk_print_json_writer(out);
    j.spaced = true;
    const double above = runs->runs.n == 1 ? 1 + SINGLE_SPREAD : 1;
    int rc = list(&all, runs->runs.v[0]) ? tk_err_nomem(err, "budgets") : tk_budgets_check(&all, runs, err);
    tk_json_open(&j, NULL, '{');
    tk_json_open(&j, "budgets", '[');
    for (size_t i = 0; i < all.v.n && rc == TK_OK; i++)
        if (!all.v.v[i].why)
            propose(&j, &all.v.v[i], above, margin);
    tk_json_line(&j);
    tk_json_close(&j);
    tk_json_close(&j);
    tk_print(out, "\n");
    tk_budgets_release(&all);
    return rc;
}
