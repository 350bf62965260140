/*
 * trace-report: captures as one HTML file that is looked at, and histories of them as another.
 *
 *   trace-report CAPTURE...
 *   trace-report HISTORY...     baselines, folders of runs, or more than eight captures: their trend
 */
#include "args/select.h"
#include "args/table_plan.h"
#include "run/command.h"
#include "run/listing.h"
#include "run/report.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/pages.h"
#include "tracekit/trends.h"

#include <stdlib.h>
#include <string.h>

struct report_args {
    struct tk_common_args common;
    struct tk_select_args select;
    struct tk_questions_args questions; /* hitches and work */
    const char *path, *title, *budget;
    bool force, no_logs, no_pictures;
};

#define AT(member) offsetof(struct report_args, member)

static const struct tk_opt content_options[] = {
    {0, "title", TK_OPT_TEXT, AT(title), "TEXT", "title of the page (default: the name of the capture)"},
    {0, "budget", TK_OPT_TEXT, AT(budget), "MS", "draw a line at this many milliseconds per frame"},
    {0, "hitches", TK_OPT_TEXT, AT(questions.hitches), TK_HITCHES_VALUES,
     "which game frames are hitches: those that are late against the frames around them (local, the "
     "default), or "
     "others as with trace-stats"},
    {0, "target", TK_OPT_TEXT, AT(questions.target), "FPS",
     "frames a second that are wanted, for missed and late frames"},
    {0, "work", TK_OPT_TEXT, AT(questions.work), "FILE",
     "classify timers as waiting, loading and so on by the patterns in this file, and then by the built-in "
     "ones"},
    {0, "no-logs", TK_OPT_FLAG, AT(no_logs), NULL, "leave out log messages"},
    {0, "no-pictures", TK_OPT_FLAG, AT(no_pictures), NULL, "leave out recorded pictures of the screen"},
};

static const struct tk_opt output_options[] = {
    {'o', "output", TK_OPT_TEXT, AT(path), "FILE",
     "write to this file, such as report.html (default: standard output)"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace the file of --output"},
};

static const struct tk_opt_group groups[] = {
    {"Content", content_options, sizeof content_options / sizeof *content_options, 0},
    {"Selection", tk_select_options, TK_SELECT_COUNT, AT(select)},
    {"Output", output_options, sizeof output_options / sizeof *output_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

/* Options as the library takes them. */
struct requested {
    struct tk_query query;
    struct tk_page_options page;
    char *work; /* owned */
};

static bool fill_requested(struct requested *requested, const struct report_args *args,
                           char message[TK_OPT_MESSAGE])
{
    struct tk_opt_list tables = {0};
    double budget = 0;
    *requested =
        (struct requested){.query = TK_INIT(struct tk_query), .page = TK_INIT(struct tk_page_options)};
    bool ok = tk_select_fill(&requested->query.select, &args->select, message) &&
              tk_questions_fill(&requested->query, &args->questions, false, &tables, message) &&
              tk_opt_real("budget", args->budget, false, &budget, message);
    tk_opt_list_release(&tables);
    requested->work = (char *)(uintptr_t)requested->query.work;
    requested->page.title = args->title;
    requested->page.no_logs = args->no_logs;
    requested->page.no_pictures = args->no_pictures;
    if (ok && budget > 1e9) {
        snprintf(message, TK_OPT_MESSAGE, "option '--budget' takes milliseconds, not '%.60s'", args->budget);
        ok = false;
    }
    requested->page.budget_ns = (int64_t)(budget * 1e6);
    return ok;
}

static enum tk_exit add_capture(struct tk_page *page, const struct tk_call *call,
                                const struct report_args *args, const struct requested *requested,
                                const char *path)
{
    struct tk_capture_run capture;
    enum tk_exit code = tk_capture_open(&capture, call->program, path, &args->common);
    if (code != TK_EXIT_DONE)
        return code;
    int rc = tk_past_end_check(capture.trace, &requested->query.select, &capture.err);
    if (rc >= 0)
        rc = tk_page_add(page, capture.trace, &requested->query, path, &capture.err);
    return tk_capture_close(&capture, rc);
}

/* What is written: a page of captures, or the trend of a history. */
static int write_content(const struct tk_page *page, const struct tk_trend *trend, struct tk_output *out,
                         struct tk_err *err)
{
    return page ? tk_page_write(page, out, err) : tk_trend_report(trend, "html", out, NULL, err);
}

static enum tk_exit write_page(const struct tk_page *page, const struct tk_trend *trend,
                               const struct tk_call *call, const struct report_args *args)
{
    struct tk_output *out = NULL;
    struct tk_err err = {0};
    int rc = tk_output_open(&out, args->path ? args->path : "-", args->force, &err);
    if (rc == TK_OK)
        rc = write_content(page, trend, out, &err);
    if (rc == TK_OK)
        rc = tk_output_commit(out, &err);
    else
        tk_output_discard(out);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(call->program, NULL, rc, &err);
    const struct tk_export_report report = {.program = call->program, .quiet = args->common.quiet};
    tk_export_report_end(&report, args->path, rc == TK_OK);
    return tk_exit_of(rc);
}

/* Reads all captures, and writes only what is whole. */
static enum tk_exit make_page(const struct tk_call *call, const struct report_args *args,
                              const struct requested *requested)
{
    struct tk_page *page = NULL;
    struct tk_err err = {0};
    enum tk_exit code = TK_EXIT_DONE;
    int rc = tk_page_new(&page, &requested->page, &err);
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        return tk_exit_of(rc);
    }
    for (size_t i = 0; i < call->operands->n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++)
        code = tk_exit_worse(code, add_capture(page, call, args, requested, call->operands->v[i]));
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, write_page(page, NULL, call, args));
    tk_page_free(page);
    return code;
}

/* ---- histories ---- */

enum { MOST_CHAPTERS = 8 /* more captures are compared by what became of them */ };

static bool is_history(const struct tk_opt_list *operands)
{
    for (size_t i = 0; i < operands->n; i++)
        if (tk_host_is_folder(operands->v[i]) || tk_kept_is(operands->v[i]))
            return true;
    return operands->n > MOST_CHAPTERS;
}

/* Options that say what is taken of a capture: a history has none of them. */
static bool has_content_options(const struct report_args *args)
{
    static const struct tk_select_args none;
    return args->title || args->budget || args->no_logs || args->no_pictures || args->questions.hitches ||
           args->questions.target || args->questions.work || memcmp(&args->select, &none, sizeof none) != 0;
}

static enum tk_exit write_trend(const struct tk_call *call, const struct report_args *args,
                                const struct tk_history *history)
{
    struct tk_trend *trend = NULL;
    struct tk_err err = {0};
    const int rc = tk_trend_find(&trend, history, NULL, &err);
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        return tk_exit_of(rc);
    }
    const enum tk_exit code = write_page(NULL, trend, call, args);
    tk_trend_free(trend);
    return code;
}

static enum tk_exit make_trend(const struct tk_call *call, const struct report_args *args)
{
    struct tk_history *history = NULL;
    struct tk_err err = {0};
    const int rc = tk_history_new(&history, &err);
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        return tk_exit_of(rc);
    }
    const struct tk_history_reading reading = {
        .program = call->program, .common = &args->common, .history = history};
    enum tk_exit code = tk_history_collect(&reading, call->operands);
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, write_trend(call, args, history));
    tk_history_free(history);
    return code;
}

static int run_report(const struct tk_call *call, const void *command_args)
{
    const struct report_args *args = command_args;
    struct requested requested;
    char message[TK_OPT_MESSAGE];
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    if (!args->path && tk_host_terminal(stdout))
        return tk_message_usage(call->program,
                                "a page is for a browser, not for a terminal; name a file with --output");
    tk_host_note_stop();
    tk_host_share_memory();
    if (is_history(call->operands))
        return has_content_options(args)
                   ? tk_message_usage(call->program,
                                      "options of content and selection are for pages of at most "
                                      "eight captures; folders, baselines and more captures "
                                      "make the page of a history")
                   : (int)make_trend(call, args);
    int code = fill_requested(&requested, args, message) ? (int)make_page(call, args, &requested)
                                                         : tk_message_usage(call->program, message);
    free(requested.work);
    return code;
}

const struct tk_command tk_command_report = {
    .name = "report",
    .operands = "CAPTURE... | HISTORY...",
    .summary =
        "A single HTML report: frame times, hitches with reasons and timelines, timers, call tree, memory.",
    .help = "\nThe file needs no server and loads nothing from a network: it opens from disk and\n"
            "can be sent by mail. Its tables answer also where scripts and styles are blocked.\n"
            "Of a history, which is baselines (.tkb), folders of runs, or more than eight captures,\n"
            "it is the trend: what changed, at which run and by how much, as trace-trend finds it.\n",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct report_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .wing = "report",
    .run = run_report,
};
