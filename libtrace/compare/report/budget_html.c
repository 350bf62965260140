/*
 * The page of a check: one HTML file without a script. budget_kinds.c lists it.
 */
#include "compare/report/budget.h"
#include "compare/report/report_html.h"

#include <math.h>

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

static void print_budget(struct tk_print *p, const struct tk_budget *b)
{
    struct tk_print place = {0};
    tk_print(p, "<tr><td class=\"%s\">%s %s</td><td class=\"what\"><strong>",
             tk_budget_level_name((enum tk_budget_level)b->level), shapes[b->level],
             tk_budget_level_name((enum tk_budget_level)b->level));
    tk_print_xml(p, b->name);
    tk_print(p, "</strong><small>%s", tk_change_kind_name((enum tk_change_kind)b->kind));
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

void tk_budgets_html(struct tk_print *p, const struct tk_budgets *all, const struct tk_report_setup *setup)
{
    struct tk_print sides = {0}, faults = {0};
    (void)setup;
    tk_report_html_begin(p, "Budgets");
    tk_print(p,
             "<header><h1>Budgets</h1>\n<p class=\"verdict %s\"><strong>%s %s</strong>: %zu over their "
             "limit, %zu warnings, %zu "
             "missing, %zu passed</p>\n<ul class=\"sides\">\n",
             all->worst == TK_BUDGET_ERROR ? "error" : "",
             tk_sides_flawed(&all->sides) ? "!" : shapes[all->worst],
             tk_sides_flawed(&all->sides) ? "not comparable"
                                          : tk_budget_level_name((enum tk_budget_level)all->worst),
             tk_budgets_count(all, TK_BUDGET_ERROR), tk_budgets_count(all, TK_BUDGET_WARNING),
             tk_budgets_count(all, TK_BUDGET_MISSING), tk_budgets_count(all, TK_BUDGET_PASSED));
    tk_report_sides_text(&sides, &all->sides, 0);
    tk_report_faults_text(&faults, &all->faults);
    tk_report_html_lines(p, &sides);
    tk_report_html_lines(p, &faults);
    tk_print(
        p,
        "</ul></header>\n<section aria-labelledby=\"h-budgets\">\n<h2 id=\"h-budgets\">Budgets</h2>\n<div "
        "class=\"scroll\" tabindex=\"0\">"
        "<table data-table=\"budgets\"><caption>Values of the worst run, and limits</caption>\n<thead><tr>"
        "<th scope=\"col\">verdict</th><th scope=\"col\">budget</th><th scope=\"col\" class=\"n\">value</th>"
        "<th scope=\"col\" class=\"n\">warning</th><th scope=\"col\" class=\"n\">error</th>"
        "<th scope=\"col\">value by limit</th><th scope=\"col\">worst place</th></tr></thead>\n<tbody>\n");
    for (int level = TK_BUDGET_ERROR; level >= TK_BUDGET_PASSED; level--)
        for (size_t i = 0; i < all->v.n; i++)
            if (all->v.v[i].level == level)
                print_budget(p, &all->v.v[i]);
    tk_print(p, "</tbody></table></div>\n</section>\n");
    tk_report_html_end(p);
}
