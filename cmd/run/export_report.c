/*
 * Export report. See export_report.h.
 */
#include "run/export_report.h"

#include "terminal/host.h"
#include "terminal/message.h"

#include <inttypes.h>
#include <string.h>

static const struct {
    const char *format, *opens;
    bool binary;
} openers[] = {
    {"parquet", "open it with DuckDB, Polars, pandas, ClickHouse or Spark", true},
    {"arrow", "open it with pandas, Polars or R", true},
    {"arrows", "open it with pandas, Polars or R, also through a pipe", true},
    {"csv", "open it with a spreadsheet", false},
    {"tsv", "open it with a spreadsheet", false},
    {"ndjson", "open it with jq", false},
    {"sqlite", "open it with sqlite3", true},
    {"chrome", "open it with ui.perfetto.dev or chrome://tracing", false},
    {"perfetto", "open it with ui.perfetto.dev", true},
    {"speedscope", "open it with www.speedscope.app", false},
    {"folded", "open it with flamegraph.pl, inferno or www.speedscope.app", false},
    {"pprof", "open it with go tool pprof", true},
    {"pictures", "open it with an image viewer", true},
    {"tksym", "pass it to --symbols of any command", true},
};

static size_t opener_of(const char *format)
{
    size_t i = 0;
    while (i < sizeof openers / sizeof *openers && strcmp(openers[i].format, format) != 0)
        i++;
    return i;
}

bool tk_export_is_binary(const char *format)
{
    const size_t i = opener_of(format);
    return i < sizeof openers / sizeof *openers && openers[i].binary;
}

void tk_export_report_left(void *ctx, const char *table, uint64_t rows)
{
    struct tk_export_report *report = ctx;
    if (strchr(table, ' ')) { /* the rows are there without these */
        if (!report->quiet)
            tk_message_say(report->program, TK_MESSAGE_NOTE, "'%s' cannot hold %s: %" PRIu64 " were left out",
                           report->format, table, rows);
        return;
    }
    report->tables++;
    report->rows += rows;
    if (report->verbose && !report->quiet)
        tk_message_say(report->program, TK_MESSAGE_NOTE,
                       "'%s' cannot hold table '%s': %" PRIu64 " row%s left out", report->format, table, rows,
                       rows == 1 ? "" : "s");
}

void tk_export_report_rounded(void *ctx, const char *table, const char *column, uint64_t values)
{
    struct tk_export_report *report = ctx;
    report->lost = true;
    if (!report->quiet)
        tk_message_say(report->program, TK_MESSAGE_WARNING,
                       "'%s' holds %s.%s as doubles: %" PRIu64 " whole number%s beyond 2^53 %s rounded",
                       report->format, table, column, values, values == 1 ? "" : "s",
                       values == 1 ? "is" : "are");
}

void tk_export_report_lost(void *ctx, const char *table, const char *column, uint64_t values)
{
    struct tk_export_report *report = ctx;
    report->lost = true;
    if (!report->quiet)
        tk_message_say(report->program, TK_MESSAGE_WARNING,
                       "'%s' has null for %" PRIu64
                       " value%s of %s.%s that the type of the column cannot hold",
                       report->format, values, values == 1 ? "" : "s", table, column);
}

static void say_left(const struct tk_export_report *report)
{
    if (report->tables == 0)
        return;
    tk_message_say(report->program, TK_MESSAGE_NOTE,
                   "'%s' cannot hold everything: %" PRIu64 " table%s with %" PRIu64 " row%s left out%s",
                   report->format, report->tables, report->tables == 1 ? "" : "s", report->rows,
                   report->rows == 1 ? "" : "s", report->verbose ? "" : "; -v names them");
}

static void say_written(const struct tk_export_report *report, const char *path)
{
    if (!path || strcmp(path, "-") == 0 || (!report->verbose && !tk_host_terminal(stderr)))
        return;
    const size_t i = report->format ? opener_of(report->format) : sizeof openers;
    if (i < sizeof openers / sizeof *openers)
        tk_message_say(report->program, TK_MESSAGE_NOTE, "wrote %s; %s", path, openers[i].opens);
    else
        tk_message_say(report->program, TK_MESSAGE_NOTE, "wrote %s", path);
}

void tk_export_report_end(const struct tk_export_report *report, const char *path, bool written)
{
    if (report->quiet)
        return;
    if (written)
        say_written(report, path);
    say_left(report);
}
