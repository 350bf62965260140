/*
 * The list of kinds of budget reports. The public functions for reports choose from it by name.
 */
#include "compare/report/budget.h"

const struct tk_budget_report tk_budget_reports[] = {
    {"text", tk_budgets_text},   {"markdown", tk_budgets_markdown}, {"json", tk_budgets_json},
    {"csv", tk_budgets_csv},     {"junit", tk_budgets_junit},       {"github", tk_budgets_github},
    {"sarif", tk_budgets_sarif}, {"html", tk_budgets_html},         {NULL, NULL},
};
