/*
 * trace-report: captures as one HTML file that is looked at, and histories of them as another.
 *
 *   trace-report CAPTURE...
 *   trace-report HISTORY...     baselines, folders of runs, or more than eight captures: their trend
 */
#include "args/run_info.h"
#include "args/select.h"
#include "args/table_plan.h"
#include "run/command.h"
#include "run/listing.h"
#include "run/report.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/pages.h"
#include "tracekit/sinks.h"
#include "tracekit/nights.h"
#include "tracekit/trends.h"

#include <stdlib.h>
#include <string.h>

struct report_args {
    struct tk_common_args common;
    struct tk_select_args select;
    struct tk_questions_args questions; /* hitches and work */
    struct tk_opt_list run_info;
    const char *path, *title, *budget, *phase;
    struct tk_opt_list before;
    bool force, no_logs, no_pictures;
};

#define AT(member) offsetof(struct report_args, member)

static const struct tk_opt content_options[] = {
    {0, "title", TK_OPT_TEXT, AT(title), "TEXT", "title of the page (default: the name of the capture)"},
    {0, "budget", TK_OPT_TEXT, AT(budget), "MS|FILE",
     "draw a line at this many milliseconds per frame; or, of several captures, check each against the "
     "budgets "
     "of this file"},
    {0, "before", TK_OPT_LIST, AT(before), "RUN",
     "captures, baselines or folders with which causes of hitches are compared (default: the builds before "
     "the "
     "newest one); may be repeated"},
    {0, "phase", TK_OPT_TEXT, AT(phase), "PHASE",
     "of several captures, the causes of hitches of: play (default), loading, startup, all"},
    TK_RUN_INFO_OPTION(AT(run_info), ""),
    TK_RUN_INFO_FROM_OPTION(AT(common)),
    {0, "hitches", TK_OPT_TEXT, AT(questions.hitches), TK_HITCHES_VALUES,
     "which game frames are hitches: those that are late against the frames around them (local, the "
     "default), or "
     "others as with trace-stats"},
    {0, "target", TK_OPT_TEXT, AT(questions.target), "FPS",
     "frames a second that are wanted, for missed and late frames"},
    {0, "work", TK_OPT_TEXT, AT(questions.work), "FILE",
     "classify timers as waiting, loading and so on by the patterns in this file, and then by the built-in "
     "ones"},
    TK_METRIC_OPTION(AT(common)),
    TK_POSITION_OPTION(AT(common)),
    TK_OWNERS_OPTIONS(AT(common)),
    {0, "no-logs", TK_OPT_FLAG, AT(no_logs), NULL, "leave out log messages"},
    {0, "no-pictures", TK_OPT_FLAG, AT(no_pictures), NULL, "leave out recorded pictures of the screen"},
};

static const struct tk_opt output_options[] = {
    {'o', "output", TK_OPT_TEXT, AT(path), "FILE",
     "write to this file: report.html, or of several captures their table as night.csv, .json or .md "
     "(default: "
     "standard output)"},
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

/* Else it is a file of budgets. */
static bool is_milliseconds(const char *budget)
{
    return budget && budget[strspn(budget, "0123456789.eE+-")] == '\0';
}

static bool fill_requested(struct requested *requested, const struct report_args *args,
                           char message[TK_OPT_MESSAGE])
{
    struct tk_opt_list tables = {0};
    double budget = 0;
    *requested =
        (struct requested){.query = TK_INIT(struct tk_query), .page = TK_INIT(struct tk_page_options)};
    bool ok =
        tk_select_fill(&requested->query.select, &args->select, message) &&
        tk_questions_fill(&requested->query, &args->questions, false, &tables, message) &&
        (!is_milliseconds(args->budget) || tk_opt_real("budget", args->budget, false, &budget, message));
    tk_opt_list_release(&tables);
    requested->work = (char *)(uintptr_t)requested->query.work;
    requested->page.title = args->title;
    requested->page.no_logs = args->no_logs;
    requested->page.no_pictures = args->no_pictures;
    requested->page.position = args->common.position;
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

/* What is written: a page of captures, the trend of a history, or a table. */
struct content {
    struct tk_page *page;         /* NULL: */
    const struct tk_trend *trend; /* NULL: */
    const struct tk_night *night;
    const char *format; /* of the table */
    const char *front;  /* of pages: the table of several captures; n_front bytes, or NULL */
    size_t n_front;
};

static int write_rows(const struct content *c, struct tk_output *out, struct tk_err *err)
{
    struct tk_writer *writer;
    int rc = tk_writer_new(&writer, c->format, out, NULL, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_writer_sink(writer);
    rc = tk_night_rows(c->night, &sink, err);
    if (rc == TK_OK)
        rc = tk_writer_finish(writer, err);
    tk_writer_free(writer);
    return rc;
}

static int write_text(const struct content *c, struct tk_output *out, struct tk_err *err)
{
    char *text;
    size_t n;
    int rc = tk_night_text(c->night, c->format, &text, &n, err);
    if (rc == TK_OK)
        rc = tk_output_write(out, text, n, err);
    tk_night_free_text(text);
    return rc;
}

static int write_content(const struct content *c, struct tk_output *out, struct tk_err *err)
{
    struct tk_report_options opt = TK_INIT(struct tk_report_options);
    opt.front = c->front;
    opt.n_front = c->n_front;
    if (c->trend)
        return tk_trend_report(c->trend, "html", out, &opt, err);
    if (!c->page)
        return strcmp(c->format, "text") == 0 || strcmp(c->format, "markdown") == 0 ? write_text(c, out, err)
                                                                                    : write_rows(c, out, err);
    const int rc = c->front ? tk_page_front(c->page, c->front, c->n_front, err) : TK_OK;
    return rc == TK_OK ? tk_page_write(c->page, out, err) : rc;
}

static enum tk_exit write_page(const struct content *content, const struct tk_call *call,
                               const struct report_args *args)
{
    struct tk_output *out = NULL;
    struct tk_err err = {0};
    int rc = tk_output_open(&out, args->path ? args->path : "-", args->force, &err);
    if (rc == TK_OK)
        rc = write_content(content, out, &err);
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

/* ---- pages ---- */

static enum tk_exit fail_report(const struct tk_call *call, int rc, const struct tk_err *err)
{
    tk_message_error(call->program, NULL, rc, err);
    return tk_exit_of(rc);
}

/* Reads all captures, and writes only what is whole. */
static enum tk_exit make_page(const struct tk_call *call, const struct report_args *args,
                              const struct requested *requested, struct content *content)
{
    enum tk_exit code = TK_EXIT_DONE;
    const int rc = tk_page_new(&content->page, &requested->page, NULL);
    if (rc < 0)
        return fail_report(call, rc, NULL);
    for (size_t i = 0; i < call->operands->n && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED); i++)
        code = tk_exit_worse(code, add_capture(content->page, call, args, requested, call->operands->v[i]));
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, write_page(content, call, args));
    tk_page_free(content->page);
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
    return args->title || is_milliseconds(args->budget) || args->no_logs || args->no_pictures ||
           args->questions.hitches || args->questions.work || memcmp(&args->select, &none, sizeof none) != 0;
}

static enum tk_exit write_trend(const struct tk_call *call, const struct report_args *args,
                                const struct tk_history *history, struct content *content)
{
    struct tk_trend *trend = NULL;
    struct tk_err err = {0};
    const int rc = tk_trend_find(&trend, history, NULL, &err);
    if (rc < 0)
        return fail_report(call, rc, &err);
    content->trend = trend;
    const enum tk_exit code = write_page(content, call, args);
    tk_trend_free(trend);
    return code;
}

/* Runs in no known order have no trend, but a table. */
static enum tk_exit write_without_trend(const struct tk_call *call, const struct report_args *args,
                                        struct content *content)
{
    static const struct tk_page_options options = {.size = sizeof options, .title = "Captures"};
    struct tk_err err = {0};
    const int rc = tk_page_new(&content->page, &options, &err);
    if (rc < 0)
        return fail_report(call, rc, &err);
    const enum tk_exit code = write_page(content, call, args);
    tk_page_free(content->page);
    return code;
}

static enum tk_exit make_trend(const struct tk_call *call, const struct report_args *args,
                               const struct tk_run_info *info, double target, struct content *content)
{
    struct tk_history *history = NULL;
    struct tk_err err = {0};
    int rc = tk_history_new(&history, &err);
    if (rc == TK_OK && target > 0)
        rc = tk_history_target(history, target, &err);
    if (rc < 0)
        return fail_report(call, rc, &err);
    const struct tk_history_reading reading = {
        .program = call->program, .common = &args->common, .info = info, .skip = true, .history = history};
    enum tk_exit code = tk_history_collect(&reading, call->operands);
    if (code == TK_EXIT_USAGE)
        code = write_without_trend(call, args, content);
    else if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, write_trend(call, args, history, content));
    tk_history_free(history);
    return code;
}

/* ---- the table of several captures ---- */

/* "csv", "json", "markdown", "text", or "html" by the ending; without a file text for people, else a page. */
static const char *format_of(const struct report_args *args)
{
    static const char *const endings[][2] = {
        {".csv", "csv"}, {".json", "json"}, {".md", "markdown"}, {".txt", "text"}};
    const size_t n = args->path ? strlen(args->path) : 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (n > strlen(endings[i][0]) && strcmp(args->path + n - strlen(endings[i][0]), endings[i][0]) == 0)
            return endings[i][1];
    return !args->path && tk_host_terminal(stdout) ? "text" : "html";
}

/* What the table is made with. */
struct table {
    struct tk_night_options options;
    struct tk_night *night;     /* owned */
    struct tk_run_info *info;   /* owned */
    struct tk_budgets *budgets; /* owned */
};

static void release_table(struct table *t)
{
    tk_night_free(t->night);
    tk_run_info_free(t->info);
    tk_budgets_free(t->budgets);
}

static enum tk_exit make_table(struct table *t, const struct tk_call *call, const struct report_args *args,
                               double target)
{
    struct tk_err err = {0};
    *t = (struct table){.options = TK_INIT(struct tk_night_options)};
    enum tk_exit code =
        (enum tk_exit)tk_run_info_option_read(&t->info, &args->run_info, call->program, args->common.quiet);
    if (code != TK_EXIT_DONE)
        return code;
    int rc = args->budget && !is_milliseconds(args->budget) ? tk_budgets_load(&t->budgets, args->budget, &err)
                                                            : TK_OK;
    t->options.target = target;
    t->options.budgets = t->budgets;
    t->options.phase = args->phase;
    t->options.width = tk_host_width(stdout);
    if (rc == TK_OK)
        rc = tk_night_new(&t->night, &t->options, &err);
    if (rc < 0)
        return fail_report(call, rc, &err);
    const struct tk_night_reading reading = {.program = call->program,
                                             .common = &args->common,
                                             .info = t->info,
                                             .budgets = t->budgets,
                                             .page = args->path,
                                             .before = &args->before,
                                             .night = t->night};
    return tk_night_collect(&reading, call->operands);
}

static enum tk_exit make_front(const struct tk_call *call, struct content *content, char **front)
{
    struct tk_err err = {0};
    const int rc = tk_night_text(content->night, "html", front, &content->n_front, &err);
    content->front = *front;
    return rc < 0 ? fail_report(call, rc, &err) : TK_EXIT_DONE;
}

/* Captures that were read are read again for their chapters or the trend. */
static enum tk_exit write_table(const struct table *t, const struct tk_call *call,
                                const struct report_args *args, const struct requested *requested)
{
    struct content content = {.night = t->night, .format = format_of(args)};
    char *front = NULL;
    if (strcmp(content.format, "html") != 0)
        return write_page(&content, call, args);
    enum tk_exit code = make_front(call, &content, &front);
    if (code == TK_EXIT_DONE)
        code = is_history(call->operands) ? make_trend(call, args, t->info, t->options.target, &content)
                                          : make_page(call, args, requested, &content);
    tk_night_free_text(front);
    return code;
}

static enum tk_exit report_several(const struct tk_call *call, const struct report_args *args,
                                   const struct requested *requested)
{
    struct table t;
    enum tk_exit code = make_table(&t, call, args, requested->query.hitches.target);
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, write_table(&t, call, args, requested));
    release_table(&t);
    return code;
}

static bool is_phase(const char *phase)
{
    static const char *const phases[] = {"play", "loading", "startup", "all"};
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
        if (strcmp(phase, phases[i]) == 0)
            return true;
    return false;
}

static bool check_several(const struct tk_call *call, const struct report_args *args, bool several,
                          char message[TK_OPT_MESSAGE])
{
    const char *wrong = NULL;
    if (!several && !args->path && tk_host_terminal(stdout))
        wrong = "a page is for a browser, not for a terminal; name a file with --output";
    else if (several && is_history(call->operands) && has_content_options(args))
        wrong =
            "options of content and selection are for pages of at most eight captures; folders, baselines "
            "and more captures make the page of a history";
    else if (!several && args->budget && !is_milliseconds(args->budget))
        wrong = "a file of budgets is for several captures; 'trace-check' checks one";
    else if (!several && (args->run_info.n || args->common.run_info_from || args->before.n || args->phase))
        wrong = "options '--run-info', '--run-info-from', '--before' and '--phase' are for several captures";
    else if (args->phase && !is_phase(args->phase))
        wrong = "option '--phase' takes play, loading, startup or all";
    else if (!several && strcmp(format_of(args), "html") != 0 && args->path)
        wrong = "the report on a capture is a page, as report.html; 'trace-stats' writes tables";
    snprintf(message, TK_OPT_MESSAGE, "%s", wrong ? wrong : "");
    return !wrong;
}

static int run_report(const struct tk_call *call, const void *command_args)
{
    const struct report_args *args = command_args;
    struct requested requested;
    struct content content = {.format = "html"};
    char message[TK_OPT_MESSAGE];
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    const bool several = call->operands->n > 1 || is_history(call->operands);
    if (!check_several(call, args, several, message))
        return tk_message_usage(call->program, message);
    tk_host_note_stop();
    tk_host_share_memory();
    int code = !fill_requested(&requested, args, message) ? tk_message_usage(call->program, message)
               : several                                  ? (int)report_several(call, args, &requested)
                                                          : (int)make_page(call, args, &requested, &content);
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
            "Of several captures, baselines (.tkb) or folders of them it begins with a table of all,\n"
            "which is text on a terminal, and a file as --output night.csv, .json or .md. Behind it are\n"
            "the captures; of a history, which is baselines, folders or more than eight captures, the\n"
            "trend: what changed, at which run and by how much, as trace-trend finds it.\n"
            "NAME.run.json beside a capture says what it does not record, as --run-info does.\n",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct report_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .wing = "report",
    .run = run_report,
};
