/*
 * trace-trend: what changed in a history of runs, at which run and by how much.
 *
 *   trace-trend HISTORY...
 *   trace-trend --csv FOLDER
 */
#include "args/run_info.h"
#include "args/words.h"
#include "run/report.h"
#include "run/runs.h"
#include "terminal/host.h"
#include "terminal/message.h"
#include "tracekit/trends.h"

#include <string.h>

struct trend_args {
    struct tk_common_args common;
    struct tk_opt_list reports, run_info;
    const char *csv, *order, *base_of, *confidence, *floor, *target, *since, *series, *accepted, *colour;
    uint64_t top;
    bool likely, open, skip, guard, plot, require;
};

#define AT(member) offsetof(struct trend_args, member)

static const struct tk_opt trend_options[] = {
    {0, "csv", TK_OPT_TEXT, AT(csv), "FOLDER", "read a numeric history: runs.csv, series.csv, values.csv"},
    {0, "order", TK_OPT_TEXT, AT(order), "BY",
     "order of the runs: time (of recording; default), name, given"},
    {0, "base-of", TK_OPT_TEXT, AT(base_of), "BRANCH", "only the runs of this branch"},
    {0, "since", TK_OPT_TEXT, AT(since), "RUN",
     "exit with 1 for all regressions since this run or build that still hold, not only for the newest "
     "change of each series"},
    {0, "confidence", TK_OPT_TEXT, AT(confidence), "PERCENT",
     "percentage of unchanged histories in which nothing is reported (default 95)"},
    {0, "floor", TK_OPT_TEXT, AT(floor), "PERCENT", "ignore changes below PERCENT (default 1)"},
    {0, "target", TK_OPT_TEXT, AT(target), "FPS",
     "frames a second that are wanted, for the series of missed and late frames"},
    {0, "open", TK_OPT_FLAG, AT(open), NULL,
     "exit with 1 for regressions as long as they hold, not only on the run that makes them sure"},
    {0, "likely", TK_OPT_FLAG, AT(likely), NULL, "drifts and steps that are less sure also exit with 1"},
    {0, "require-verdict", TK_OPT_FLAG, AT(require), NULL, "exit with 4 if the history cannot show a change"},
    {0, "series", TK_OPT_TEXT, AT(series), "GLOB",
     "the history is unknown if a series of this name is; | between several"},
    TK_PER_OPTION(AT(common)),
    TK_METRIC_OPTION(AT(common)),
    {0, "accepted", TK_OPT_TEXT, AT(accepted), "FILE",
     "JSON file of accepted regressions, which are reported but do not cause exit status 1"},
    TK_OWNERS_OPTIONS(AT(common)),
    TK_RUN_INFO_OPTION(AT(run_info), ""),
    TK_RUN_INFO_FROM_OPTION(AT(common)),
    {0, "skip-unreadable", TK_OPT_FLAG, AT(skip), NULL, "leave out files that cannot be read"},
};

static const struct tk_opt report_options[] = {
    {'f', "report", TK_OPT_LIST, AT(reports), "KIND[=FILE]",
     "text, markdown, json, csv, junit, html; may be repeated (default: text); a FILE that exists is "
     "replaced"},
    {'n', "top", TK_OPT_NUMBER, AT(top), "N", "text and markdown: at most N events of each kind"},
    {0, "color", TK_OPT_TEXT, AT(colour), "WHEN", "auto, always, never"},
    {0, "plot", TK_OPT_FLAG, AT(plot), NULL, "text: draw the values of each change as a plot of six lines"},
    {0, "guard", TK_OPT_FLAG, AT(guard), NULL, "csv: keep spreadsheets from treating texts as formulas"},
};

static const struct tk_opt_group groups[] = {
    {"History", trend_options, sizeof trend_options / sizeof *trend_options, 0},
    {"Reports", report_options, sizeof report_options / sizeof *report_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

struct trend {
    const struct tk_call *call;
    const struct trend_args *args;
    struct tk_trend_options options;
    enum tk_history_order order;
    double target;            /* frames a second; 0: none */
    struct tk_run_info *info; /* owned; said of the captures of the history */
};

/* ---- reports ---- */

static int write_report(const void *of, const char *kind, struct tk_output *out,
                        const struct tk_report_options *opt, struct tk_err *err)
{
    return tk_trend_report(of, kind, out, opt, err);
}

static enum tk_exit write_reports(const struct trend *t, const struct tk_trend *found)
{
    struct tk_err err = {0};
    const struct tk_reports reports = {.wanted = &t->args->reports,
                                       .colour = t->args->colour,
                                       .top = t->args->top,
                                       .guard = t->args->guard,
                                       .plot = t->args->plot,
                                       .write = write_report,
                                       .of = found};
    int rc = tk_reports_write(&reports, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(t->call->program, NULL, rc, &err);
    return tk_exit_of(rc);
}

/* ---- the trend ---- */

static enum tk_exit find_trend(const struct trend *t, const struct tk_history *history)
{
    struct tk_trend *found;
    struct tk_err err = {0};
    int rc = tk_trend_find(&found, history, &t->options, &err);
    if (rc == TK_OK && t->args->accepted &&
        (rc = tk_trend_accept(found, t->args->accepted, tk_host_now(), &err)) < 0)
        tk_trend_free(found);
    if (rc == TK_OK && t->args->common.owners && (rc = tk_trend_own(found, t->args->common.owners, &err)) < 0)
        tk_trend_free(found);
    if (rc < 0) {
        tk_message_error(t->call->program, NULL, rc, &err);
        return tk_exit_of(rc);
    }
    const enum tk_exit code = write_reports(t, found);
    const enum tk_exit end = tk_outcome_end(t->call->program, tk_trend_outcome(found), t->args->require);
    tk_trend_free(found);
    return tk_exit_worse(code, end);
}

static enum tk_exit read_history(const struct trend *t, struct tk_history *history)
{
    const struct tk_history_reading reading = {.program = t->call->program,
                                               .common = &t->args->common,
                                               .skip = t->args->skip,
                                               .order = (int)t->order,
                                               .info = t->info,
                                               .branch = t->args->base_of,
                                               .history = history};
    struct tk_err err = {0};
    if (!t->args->csv)
        return tk_history_collect(&reading, t->call->operands);
    int rc = tk_history_read(history, t->args->csv, &err);
    if (rc < 0)
        tk_message_error(t->call->program, NULL, rc, &err);
    return tk_exit_of(rc);
}

/* ---- arguments ---- */

static bool fill_order(struct trend *t, char message[TK_OPT_MESSAGE])
{
    const char *const *words = tk_words_run_orders;
    const size_t n = tk_words_count(words), i = t->args->order ? tk_words_find(words, t->args->order) : 0;
    if (i == n)
        return tk_message_unknown(message, "option '--order' does not take", t->args->order, words, n);
    t->order = (enum tk_history_order)i;
    return true;
}

static bool check_operands(const struct trend *t, char message[TK_OPT_MESSAGE])
{
    bool some = t->call->operands->n > 0;
    if (t->args->csv && t->args->run_info.n) {
        snprintf(message, TK_OPT_MESSAGE, "option '--run-info' is for captures and does not go with --csv");
        return false;
    }
    if (some == !t->args->csv)
        return true;
    snprintf(message, TK_OPT_MESSAGE, "%s",
             some ? "option '--csv' names the whole history, and goes with no operand"
                  : "which history? (captures, baselines, folders of them, or --csv FOLDER)");
    return false;
}

static bool fill_trend(struct trend *t, char message[TK_OPT_MESSAGE])
{
    const struct tk_out_args out = {.colour = t->args->colour};
    enum tk_unit unit;
    double confidence = 95, floor = 1;
    t->options = TK_INIT(struct tk_trend_options);
    if (!tk_reports_check(&t->args->reports, tk_trend_reports(), message) || !check_operands(t, message) ||
        !fill_order(t, message) || !tk_out_check(&out, &unit, message) ||
        !tk_opt_real("confidence", t->args->confidence, false, &confidence, message) ||
        !tk_opt_real("target", t->args->target, false, &t->target, message) ||
        !tk_opt_real("floor", t->args->floor, false, &floor, message))
        return false;
    if (confidence < 50 || confidence >= 100 || floor <= 0) {
        snprintf(message, TK_OPT_MESSAGE,
                 confidence < 50 || confidence >= 100
                     ? "option '--confidence' takes percents from 50 to below 100"
                     : "option '--floor' takes a number above 0");
        return false;
    }
    t->options.chance = 1 - confidence / 100;
    t->options.floor = floor / 100;
    t->options.since = t->args->since;
    t->options.series = t->args->series;
    t->options.likely = t->args->likely;
    t->options.open = t->args->open;
    return true;
}

static int run_trend(const struct tk_call *call, const void *command_args)
{
    struct trend t = {.call = call, .args = command_args};
    char message[TK_OPT_MESSAGE];
    struct tk_history *history;
    struct tk_err err = {0};
    if (!fill_trend(&t, message))
        return tk_message_usage(call->program, message);
    int rc = tk_history_new(&history, &err);
    if (rc == TK_OK)
        rc = tk_history_target(history, t.target, &err);
    if (rc < 0) {
        tk_message_error(call->program, NULL, rc, &err);
        return (int)tk_exit_of(rc);
    }
    enum tk_exit code = (enum tk_exit)tk_run_info_option_read(&t.info, &t.args->run_info, call->program,
                                                              t.args->common.quiet);
    if (code == TK_EXIT_DONE)
        code = read_history(&t, history);
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        code = tk_exit_worse(code, find_trend(&t, history));
    tk_history_free(history);
    tk_run_info_free(t.info);
    return (int)code;
}

const struct tk_command tk_command_trend = {
    .name = "trend",
    .operands = "HISTORY... | --csv FOLDER",
    .summary =
        "Finds changes in a history of runs: what changed, at which run, by how much, and is it noise?",
    .help = "A history consists of captures, baselines (.tkb, see trace-stats --save) or folders of them.\n",
    .codes = "0 the newest change is no regression; 1 it is one; 2 wrong usage, or there is no such run; 3 a "
             "file cannot be read or written; 4 nothing can be said, or a capture is damaged. 'man "
             "trace-diff' lists every way in which a trend can end.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct trend_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .wing = "compare",
    .run = run_trend,
};
