/*
 * The list of kinds of comparison reports. The public functions for reports choose from it by name.
 */
#include "compare/report/report.h"

const struct tk_report_kind tk_report_kinds[] = {
    {"text", tk_report_text},
    {"markdown", tk_report_markdown},
    {"json", tk_report_json},
    {"csv", tk_report_csv},
    {"junit", tk_report_junit},
    {"github", tk_report_github},
    {"sarif", tk_report_sarif},
    {"folded", tk_report_folded},
    {"flamegraph", tk_report_flame},
    {"html", tk_report_html},
    {NULL, NULL},
};
