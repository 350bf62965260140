/*
 * The list of kinds of reports of trends. The public function chooses from it by name.
 */
#include "trend/report/trend_report.h"

const struct tk_trend_report_kind tk_trend_report_kinds[] = {
    {"text", tk_trend_report_text},
    {"markdown", tk_trend_report_markdown},
    {"json", tk_trend_report_json},
    {"csv", tk_trend_report_csv},
    {"junit", tk_trend_report_junit},
    {"html", tk_trend_report_html},
    {NULL, NULL},
};
