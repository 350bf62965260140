/*
 * trace-check: runs against a budget file, pass or fail; or a proposal for such a file.
 */
#include "args/run_info.h"
#include "args/select.h"
#include "cmd_in.h"
#include "run/report.h"
#include "run/runs.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

#define USUAL_MARGIN 10 /* percent */

struct check_args {
    struct tk_common_args common;
    struct tk_select_args select;
    struct tk_opt_list reports, run_info;
    struct tk_opt_list expect, against, fail;
    const char *rules, *target;
    const char *budget, *propose, *margin, *colour, *base_of;
    bool force, skip, guard, strict_budget, mixed, allow_short;
};

#define AT(member) offsetof(struct check_args, member)

static const struct tk_opt check_options[] = {
    {0, "budget", TK_OPT_TEXT, AT(budget), "FILE", "the budgets, in JSON"},
    {0, "strict-budget", TK_OPT_FLAG, AT(strict_budget), NULL,
     "exit with 1 if a budget names something that no run has"},
    {0, "expect", TK_OPT_WORDS, AT(expect), "WHAT,...",
     "exit with 1 if a recording lacks one of: frames, gpu, counters, memory, loading, timers, 60s (at least "
     "this length), channel:NAME"},
    {0, "write-budget", TK_OPT_TEXT, AT(propose), "FILE",
     "write a budget file that the given runs just meet; limits of a single run are 12 percent higher"},
    {0, "margin", TK_OPT_TEXT, AT(margin), "PERCENT",
     "with --write-budget: set errors this far above the runs, and warnings at half of it (default 10)"},
    {0, "baseline", TK_OPT_LIST, AT(against), "FILE",
     "runs of before: without added cost, for budgets of the kind 'added', and with the old names of timers "
     "that "
     "were renamed; may be repeated"},
    {0, "base-of", TK_OPT_TEXT, AT(base_of), "BRANCH|COMMIT",
     "of --baseline use the newest runs of this branch or commit, with the same application, platform and "
     "machine"},
    {0, "rules", TK_OPT_MAYBE, AT(rules), TK_RULES_VALUE,
     "instead of budgets, judge captures by rules, or only by those named; DIR: also by the rules in this "
     "folder (see trace-stats --rules)"},
    {0, "fail", TK_OPT_WORDS, AT(fail), "found:RULE,...",
     "with --rules: exit with 1 where one of these rules is found; found: any"},
    {0, "target", TK_OPT_TEXT, AT(target), "FPS", "with --rules: frames a second that are wanted"},
    TK_PER_OPTION(AT(common)),
    TK_METRIC_OPTION(AT(common)),
    TK_POSITION_OPTION(AT(common)),
    TK_OWNERS_OPTIONS(AT(common)),
    {0, "allow-short", TK_OPT_FLAG, AT(allow_short), NULL,
     "also check runs that ended in a crash or fatal error, instead of exiting with 4"},
    {0, "mixed", TK_OPT_FLAG, AT(mixed), NULL, "check runs of several applications or platforms together"},
    TK_RUN_INFO_OPTION(AT(run_info), ""),
    TK_RUN_INFO_FROM_OPTION(AT(common)),
    {0, "skip-unreadable", TK_OPT_FLAG, AT(skip), NULL, "leave out captures that cannot be read"},
};

static const struct tk_opt report_options[] = {
    {'f', "report", TK_OPT_LIST, AT(reports), "KIND[=FILE]",
     "text, markdown, json, csv, junit, github, sarif, html; may be repeated (default: text); a FILE that "
     "exists "
     "is "
     "replaced"},
    {0, "color", TK_OPT_TEXT, AT(colour), "WHEN", "auto, always, never"},
    {0, "force", TK_OPT_FLAG, AT(force), NULL, "replace the file of --write-budget"},
    {0, "guard", TK_OPT_FLAG, AT(guard), NULL, "csv: keep spreadsheets from treating texts as formulas"},
};

static const struct tk_opt_group groups[] = {
    {"Budgets", check_options, sizeof check_options / sizeof *check_options, 0},
    {"Selection", tk_select_options, TK_SELECT_COUNT - 1, AT(select)},
    {"Reports", report_options, sizeof report_options / sizeof *report_options, 0},
    TK_COMMON_GROUP(AT(common)),
};

struct check {
    const struct tk_call *call;
    const struct check_args *args;
    double margin; /* percent */
    struct tk_runs runs, against;
    struct tk_run_info *info; /* owned */
    struct tk_budgets *budgets;
};

/* kind NULL: the proposal. */
static int write_report(const void *of, const char *kind, struct tk_output *out,
                        const struct tk_report_options *opt, struct tk_err *err)
{
    const struct check *c = of;
    return kind ? tk_budgets_report(c->budgets, kind, out, opt, err)
                : tk_budgets_write(c->runs.baseline, c->margin / 100, out, err);
}

static int write_all(const struct check *c, struct tk_err *err)
{
    const struct tk_reports reports = {.wanted = &c->args->reports,
                                       .colour = c->args->colour,
                                       .guard = c->args->guard,
                                       .write = write_report,
                                       .of = c};
    int rc =
        c->args->propose ? tk_reports_write_to(&reports, NULL, c->args->propose, c->args->force, err) : TK_OK;
    return rc >= 0 && c->budgets ? tk_reports_write(&reports, err) : rc;
}

/* One run does not show what runs of one build differ by. */
static void tell_single(const struct check *c)
{
    if (c->args->propose && tk_baseline_count(c->runs.baseline) == 1 && !c->args->common.quiet)
        tk_message_say(
            c->call->program, TK_MESSAGE_NOTE,
            "one run does not show what runs differ by: its limits are 12 %% higher; give several runs of "
            "one build for closer ones");
}

/* Budgets for what no run has are reported, whatever the report is. */
static enum tk_exit tell_missing(const struct check *c)
{
    const size_t n = c->budgets ? tk_budgets_missing(c->budgets) : 0;
    for (size_t i = 0; i < n && !c->args->common.quiet; i++)
        tk_message_say(c->call->program, TK_MESSAGE_WARNING, "a budget cannot be checked: %s",
                       tk_budgets_missing_why(c->budgets, i));
    return n && c->args->strict_budget ? TK_EXIT_NO : TK_EXIT_DONE;
}

struct lacking {
    const struct check *c;
    enum tk_exit code;
};

static void tell_lacking(void *ctx, size_t run, const char *word, const char *instead)
{
    struct lacking *l = ctx;
    const struct tk_str *name = tk_baseline_about(l->c->runs.baseline, run, "capture");
    tk_message_say(l->c->call->program, TK_MESSAGE_ERROR, "run %zu%s%.*s: '%s' was expected: %s", run + 1,
                   name ? ", " : "", name ? (int)name->n : 0, name ? name->p : "", word, instead);
    l->code = TK_EXIT_NO;
}

/* Without budgets no report reports runs that ended in a crash. As of budgets a few among others are let
 * pass.
 */
static enum tk_exit tell_ended(const struct check *c)
{
    const size_t n = tk_baseline_count(c->runs.baseline);
    enum tk_exit code = TK_EXIT_DONE;
    size_t good = 0;
    for (size_t i = 0; i < n; i++)
        good += tk_baseline_about(c->runs.baseline, i, "end") == NULL;
    const bool few = good >= 2 && 2 * good > n;
    for (size_t i = 0; !c->budgets && !c->args->allow_short && i < n; i++) {
        const struct tk_str *end = tk_baseline_about(c->runs.baseline, i, "end"),
                            *name = tk_baseline_about(c->runs.baseline, i, "capture");
        if (!end)
            continue;
        tk_message_say(c->call->program, few ? TK_MESSAGE_WARNING : TK_MESSAGE_ERROR,
                       "run %zu%s%.*s%s: it ended in %.*s", i + 1, name ? ", " : "", name ? (int)name->n : 0,
                       name ? name->p : "", few ? " is left out" : "", (int)end->n, end->p);
        code = few ? code : TK_EXIT_UNKNOWN;
    }
    return code;
}

/* What a recording shall have. */
static enum tk_exit check_content(const struct check *c)
{
    struct tk_err err = {0};
    struct lacking l = {c, c->runs.hollow ? TK_EXIT_NO : TK_EXIT_DONE};
    int rc = tk_baseline_expect(c->runs.baseline, (const char *const *)c->args->expect.v, c->args->expect.n,
                                tell_lacking, &l, &err);
    if (rc < 0)
        tk_message_error(c->call->program, NULL, rc, &err);
    return rc < 0 ? tk_exit_of(rc) : tk_exit_worse(l.code, tell_ended(c));
}

static enum tk_exit check_runs(struct check *c)
{
    struct tk_err err = {0};
    if (c->runs.hollow && tk_baseline_count(c->runs.baseline) == 0) /* there is nothing to have budgets for */
        return TK_EXIT_NO;
    struct tk_budget_options opt = TK_INIT(struct tk_budget_options);
    opt.mixed = c->args->mixed;
    opt.allow_short = c->args->allow_short;
    opt.baseline = c->against.baseline;
    int rc = c->budgets ? tk_budgets_apply(c->budgets, c->runs.baseline, &opt, &err) : TK_OK;
    if (rc >= 0 && c->budgets && c->args->common.owners)
        rc = tk_budgets_own(c->budgets, c->args->common.owners, &err);
    size_t lost = tk_baseline_lost_regions(c->runs.baseline);
    if (c->budgets && tk_budgets_lost_regions(c->budgets) > lost)
        lost = tk_budgets_lost_regions(c->budgets);
    tk_runs_warn_lost(&c->runs, lost);
    if (rc >= 0)
        rc = write_all(c, &err);
    if (rc < 0 && rc != TK_EPIPE) {
        tk_message_error(c->call->program, NULL, rc, &err);
        return tk_exit_of(rc);
    }
    tell_single(c);
    const enum tk_exit missing = tell_missing(c);
    return c->budgets
               ? tk_exit_worse(missing, tk_outcome_end(c->call->program, tk_budgets_outcome(c->budgets),
                                                       c->args->strict_budget))
               : missing;
}

static enum tk_exit load_budgets(struct check *c)
{
    struct tk_err err = {0};
    int rc = c->args->budget ? tk_budgets_load(&c->budgets, c->args->budget, &err) : TK_OK;
    if (rc < 0)
        tk_message_error(c->call->program, NULL, rc, &err);
    return tk_exit_of(rc);
}

static enum tk_exit read_runs(struct check *c)
{
    const struct tk_opt_list *operands = c->call->operands;
    const size_t n = operands->n + c->args->against.n;
    struct tk_runs_path *paths = calloc(n, sizeof *paths);
    const struct tk_err none = {0};
    if (!paths) {
        tk_message_error(c->call->program, NULL, TK_ENOMEM, &none);
        return TK_EXIT_FAILED;
    }
    for (size_t i = 0; i < operands->n; i++)
        paths[i] = (struct tk_runs_path){&c->runs, operands->v[i]};
    for (size_t i = 0; i < c->args->against.n; i++)
        paths[operands->n + i] = (struct tk_runs_path){&c->against, c->args->against.v[i]};
    enum tk_exit code = tk_runs_read(paths, n);
    free(paths);
    return code;
}

/* Of a history the runs that are of before. */
static enum tk_exit choose_base(struct check *c)
{
    struct tk_err err = {0};
    int rc = c->args->base_of && c->args->against.n
                 ? tk_baseline_base_of(c->against.baseline, c->runs.baseline, c->args->base_of, &err)
                 : TK_OK;
    if (rc < 0)
        tk_message_error(c->call->program, NULL, rc, &err);
    return tk_exit_of(rc);
}

static enum tk_exit run_check(struct check *c)
{
    enum tk_exit code = load_budgets(c), damaged = TK_EXIT_DONE;
    if (code == TK_EXIT_DONE)
        code = (enum tk_exit)tk_run_info_option_read(&c->info, &c->args->run_info, c->call->program,
                                                     c->args->common.quiet);
    c->runs.info = c->info;
    c->runs.budgets = c->budgets;
    if (code == TK_EXIT_DONE)
        code = read_runs(c);
    if (code == TK_EXIT_DAMAGED) {
        damaged = code;
        code = TK_EXIT_DONE;
    }
    const enum tk_exit content = code == TK_EXIT_DONE ? check_content(c) : TK_EXIT_DONE;
    struct tk_runs *const sides[2] = {&c->runs, &c->against};
    if (code == TK_EXIT_DONE)
        code = tk_runs_cut(sides, 2);
    if (code == TK_EXIT_DONE)
        code = choose_base(c);
    if (code == TK_EXIT_DONE)
        code = check_runs(c);
    return tk_exit_worse(tk_exit_worse(code, content), damaged);
}

/* What has to be given, too; NULL: nothing. */
static const char *missing_of(const struct check *c)
{
    const struct check_args *a = c->args;
    if (c->call->operands->n == 0)
        return "which capture?";
    if (!a->budget && !a->propose && !a->expect.n)
        return "which budget? (--budget FILE)";
    if (a->base_of && !a->against.n)
        return "option '--base-of' chooses runs of a baseline (--baseline FILE)";
    return a->budget || a->reports.n == 0 ? NULL : "option '--report' is for budgets (--budget FILE)";
}

static bool fill_check(struct check *c, struct tk_selection *select, char message[TK_OPT_MESSAGE])
{
    const char *missing = missing_of(c);
    const struct tk_out_args out = {.colour = c->args->colour};
    enum tk_unit unit;
    bool good = !missing && tk_out_check(&out, &unit, message);
    if (missing)
        snprintf(message, TK_OPT_MESSAGE, "%s", missing);
    good = good && tk_reports_check(&c->args->reports, tk_budgets_reports(), message);
    c->margin = USUAL_MARGIN;
    good = good && tk_opt_real("margin", c->args->margin, true, &c->margin, message);
    return good && tk_select_fill(select, &c->args->select, message);
}

static int judge_by_rules(const struct tk_call *call, const struct check_args *a)
{
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    return tk_check_rules_run(
        &(struct tk_check_rules){.call = call,
                                 .common = &a->common,
                                 .rules = a->rules,
                                 .target = a->target,
                                 .colour = a->colour,
                                 .fail = &a->fail,
                                 .reports = &a->reports,
                                 .good = !a->budget && !a->propose && !a->expect.n && !a->against.n &&
                                         !a->run_info.n && !a->common.per && !tk_select_given(&a->select)});
}

static int run_of_check(const struct tk_call *call, const void *command_args)
{
    struct check c = {.call = call, .args = command_args};
    struct tk_selection select = {0};
    struct tk_err err = {0};
    char message[TK_OPT_MESSAGE];
    if (c.args->rules)
        return judge_by_rules(call, c.args);
    if (c.args->fail.n || c.args->target)
        return tk_message_usage(call->program, "options '--fail' and '--target' go with '--rules' only");
    if (!fill_check(&c, &select, message))
        return tk_message_usage(call->program, message);
    c.runs = (struct tk_runs){.program = call->program,
                              .common = &c.args->common,
                              .skip = c.args->skip,
                              .expects = c.args->expect.n > 0};
    tk_runs_select(&c.runs, &select, false);
    c.against = c.runs;
    c.against.expects = false;
    int rc = tk_baseline_new(&c.runs.baseline, &err);
    if (rc == TK_OK)
        rc = tk_baseline_new(&c.against.baseline, &err);
    if (rc < 0)
        tk_message_error(call->program, NULL, rc, &err);
    enum tk_exit code = rc < 0 ? tk_exit_of(rc) : run_check(&c);
    tk_budgets_free(c.budgets);
    tk_run_info_free(c.info);
    tk_baseline_free(c.runs.baseline);
    tk_baseline_free(c.against.baseline);
    return (int)code;
}

const struct tk_command tk_command_check = {
    .name = "check",
    .operands = "RUN...",
    .summary = "Checks runs against a budget file: pass or fail, and where the worst value is.",
    .help = "Runs are captures, baselines (.tkb, see trace-stats --save) or folders of them.\n",
    .codes =
        "0 all budgets are met, possibly with warnings; 1 a budget is exceeded, with --strict-budget one "
        "names what no run has, or a recording lacks what --expect names; 2 wrong usage, an invalid budget "
        "file, or runs of several programs; 3 a file cannot be read or written; 4 nothing can be said, or a "
        "capture is damaged. 'man trace-diff' lists every way in which a check can end.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct check_args),
    .most = SIZE_MAX,
    .captures = SIZE_MAX,
    .wing = "compare",
    .run = run_of_check,
};
