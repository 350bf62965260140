/*
 * trace-stats: tables with statistics of a capture; without a question a page for people. This is its options
 * and which of its ways is taken; the ways are in stats/.
 */
#include "args/run_info.h"
#include "args/table_plan.h"
#include "cmd_in.h"
#include "live/follow.h"
#include "run/listing.h"
#include "run/report.h"
#include "terminal/message.h"
#include "tracekit/nights.h"

#include <string.h>

#define AT(member) offsetof(struct tk_stats_args, member)

static const struct tk_opt stats_options[] = {
    {'t', "table", TK_OPT_WORDS, AT(plan.tables), "NAME,...",
     "show these tables (default: a summary on a terminal, else timers)"},
    {'c', "columns", TK_OPT_WORDS, AT(plan.columns), "A,B,...",
     "show only these columns, in this order (with a single --table)"},
    {0, "by", TK_OPT_WORDS, AT(by), "WHAT,...",
     "group rows by thread, if the table can; timers: also by class, file, source, label, region, "
     "frame-type; "
     "memory: by thread, tag, heap, size, asset, callstack, function, module, file; frames: by cell=SIZE of "
     "the level, cell=SIZE:z of its storeys, too; into a file .svg as a map"},
    TK_POSITION_OPTION(AT(common)),
    {'s', "sort", TK_OPT_TEXT, AT(plan.sort), "COLUMN",
     "sort by COLUMN, largest first; COLUMN:asc for smallest first"},
    {'n', "top", TK_OPT_NUMBER, AT(plan.top), "N",
     "only the first N rows after sorting; with --by thread, class, region or frame-type the first N of "
     "each, unless --sort is given; for hitches the N longest"},
    {0, "rules", TK_OPT_MAYBE, AT(rules), TK_RULES_VALUE,
     "what is wrong, and what is not: each rule found with evidence, ruled out, or not judged; all: also "
     "what "
     "the others need; NAME: its evidence; DIR: also the rules in this folder"},
    {0, "save", TK_OPT_TEXT, AT(save), "FILE",
     "instead of a table, save the run to a baseline for trace-diff; adds to an existing baseline, or a file "
     "to a folder"},
    TK_PER_OPTION(AT(common)),
    TK_METRIC_OPTION(AT(common)),
    {0, "summary", TK_OPT_TEXT, AT(summary), "DIR",
     "instead of a table, write the data of --save as Parquet files to DIR/TABLE/run=run-HASH/, for fleets"},
    TK_RUN_INFO_OPTION(AT(run_info), ""),
    TK_RUN_INFO_FROM_OPTION(AT(common)),
    {0, "before", TK_OPT_LIST, AT(before), "RUN",
     "with --table hitch_causes, the hitches of several captures by cause: captures, baselines or folders to "
     "compare with (default: the builds before the newest one); may be repeated"},
    {0, "phase", TK_OPT_TEXT, AT(phase), "PHASE",
     "with --table hitch_causes: hitches of play (default), loading, startup, all"},
    TK_OWNERS_OPTIONS(AT(common)),
    {0, "follow", TK_OPT_FLAG, AT(follow), NULL,
     "show the result again each second while FILE, or tcp://HOST[:PORT][/ID] of a store, grows, until the "
     "recording ends"},
    {0, "idle", TK_OPT_TEXT, AT(idle), "S",
     "with --follow: stop after this many seconds without new data, where the recorder does not signal its "
     "end "
     "(default "
     "10)"},
    {0, "plot", TK_OPT_FLAG, AT(plot), NULL,
     "draw the tables (--format plot): frames, or with --counter their values, --per-frame, --histogram"},
    {'l', "list", TK_OPT_MAYBE, AT(list), "TABLE,...",
     "list all tables and their columns, or only the named tables (--list logs)"},
};

static const struct tk_opt_group groups[] = {
    {"Content", stats_options, sizeof stats_options / sizeof *stats_options, 0},
    {"Questions", tk_questions_options, TK_QUESTIONS_COUNT, AT(deep)},
    {"Selection", tk_select_options, TK_SELECT_COUNT, AT(select)},
    {"Rows", tk_row_options, TK_ROW_COUNT, AT(rows)},
    {"Memory", tk_memory_options, TK_MEMORY_COUNT, AT(memory)},
    {"Output", tk_out_options, TK_OUT_COUNT, AT(out)},
    TK_TEXT_GROUP(AT(texts)),
    TK_COMMON_GROUP(AT(common)),
};

/* The tables of a baseline, or of a folder. */
static int run_kept(const struct tk_call *call, const struct tk_stats_args *args)
{
    static const char *const usual[] = {"runs", "timers", "gpu", NULL};
    const struct tk_select_args *s = &args->select;
    struct tk_selection select = {0};
    char message[TK_OPT_MESSAGE];
    if (!tk_select_fill(&select, s, message))
        return tk_message_usage(call->program, message);
    if (args->by.n || select.has_from || select.has_to || select.has_frames || select.n_regions ||
        args->rows.counters.n || args->rows.logs.n || args->rows.callstack || select.n_threads ||
        select.n_timers || select.from_bookmark || select.to_bookmark)
        return tk_message_usage(call->program,
                                "the tables of a baseline or folder are fixed; '--where' filters their rows "
                                "(trace-trend follows values from run to run)");
    return tk_kept_list(&(struct tk_kept_listing){.call = call,
                                                  .common = &args->common,
                                                  .out = &args->out,
                                                  .plan = &args->plan,
                                                  .rows = &args->rows,
                                                  .usual = usual,
                                                  .operands = (const char *const *)call->operands->v,
                                                  .n = call->operands->n});
}

/* ---- causes of hitches ---- */

static bool wants_causes(const struct tk_stats_args *args)
{
    return args->plan.tables.n == 1 && strcmp(args->plan.tables.v[0], "hitch_causes") == 0;
}

static int send_causes(const struct tk_stats_args *args, const char *format, const struct tk_night *night,
                       struct tk_err *err)
{
    struct tk_out out;
    int rc = tk_out_open(&out, &args->out, format, false, true, err);
    if (rc == TK_OK)
        rc = tk_night_causes(night, &out.sink, err);
    return tk_out_close(&out, rc, err);
}

/* Of several captures, baselines and folders of them together. */
static int run_causes(const struct tk_call *call, const struct tk_stats_args *args, const char *format)
{
    struct tk_night_options options = TK_INIT(struct tk_night_options);
    struct tk_night *night = NULL;
    struct tk_err err = {0};
    options.phase = args->phase;
    int rc = tk_night_new(&night, &options, &err);
    const struct tk_night_reading reading = {
        .program = call->program, .common = &args->common, .before = &args->before, .night = night};
    enum tk_exit code = rc == TK_OK ? tk_night_collect(&reading, call->operands) : tk_exit_of(rc);
    if (rc == TK_OK && (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED))
        rc = send_causes(args, format, night, &err);
    if (rc < 0 && rc != TK_EPIPE)
        tk_message_error(call->program, NULL, rc, &err);
    tk_night_free(night);
    return (int)tk_exit_worse(code, tk_exit_of(rc));
}

/* What options of causes have, and others not; NULL: nothing is wrong. */
static const char *causes_flaw(const struct tk_stats_args *args)
{
    static const char *const phases[] = {"play", "loading", "startup", "all"};
    bool known = !args->phase;
    for (size_t i = 0; args->phase && i < sizeof phases / sizeof *phases; i++)
        known |= strcmp(args->phase, phases[i]) == 0;
    if (!wants_causes(args))
        return args->before.n || args->phase || args->common.owners
                   ? "options '--before', '--phase' and '--owners' go with '--table hitch_causes' only"
                   : NULL;
    if (args->plan.columns.n || args->plan.sort || args->plan.top)
        return "the rows of 'hitch_causes' are whole, the most frequent first: no --columns, --sort and "
               "--top";
    return known ? NULL : "option '--phase' takes play, loading, startup or all";
}

static int run_once(const struct tk_call *call, const struct tk_stats_args *args)
{
    const struct tk_opt_set set = {groups, sizeof groups / sizeof *groups, (void *)(uintptr_t)args};
    char message[TK_OPT_MESSAGE];
    struct tk_report report = {.call = call, .common = &args->common, .out = &args->out};
    if (tk_stats_is_map(args))
        return tk_stats_map(args, call);
    report.format = tk_out_format(&args->out, args->plot ? "plot" : "table", message);
    if (!report.format)
        return tk_message_usage(call->program, message);
    if (args->plot && strcmp(report.format, "plot") != 0)
        return tk_message_usage(call->program, "option '--plot' draws, and does not go with another format");
    if (args->list)
        return tk_stats_list(&report, args);
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    if (causes_flaw(args))
        return tk_message_usage(call->program, causes_flaw(args));
    if (wants_causes(args))
        return run_causes(call, args, report.format);
    if (tk_follow_is_tracy(call->operands->v[0]))
        return tk_follow_tracy(call);
    if (args->save || args->summary)
        return tk_stats_save(call, args, &set);
    if (args->run_info.n)
        return tk_message_usage(call->program, "option '--run-info' goes with '--save' and '--summary' only");
    if (args->texts.anonymise || args->texts.key || args->texts.keep_text.n)
        return tk_message_usage(
            call->program, "option '--anonymise' goes with '--save' and '--summary' only; trace-edit makes "
                           "an anonymised capture");
    if (args->rules)
        return tk_stats_rules(args, &report);
    if (tk_stats_by_cell(args))
        return tk_stats_cells(args, &report);
    if (args->common.position)
        return tk_message_usage(call->program,
                                "option '--position' goes with '--by cell=SIZE' and '--save' only");
    if (tk_kept_is(call->operands->v[0]))
        return run_kept(call, args);
    return tk_stats_answer(args, &report);
}

/* A report on a capture that is followed. */
struct followed {
    const struct tk_call *call;
    const struct tk_stats_args *args;
};

static int report_followed(void *ctx, const char *path, uint64_t bytes, bool last)
{
    const struct followed *f = ctx;
    (void)bytes;
    char *operands[] = {(char *)(uintptr_t)path};
    const struct tk_opt_list words = {operands, 1};
    const struct tk_call call = {f->call->program, &words};
    struct tk_stats_args args = *f->args;
    args.common.quiet |= !last; /* that it ends inside a packet is no news while it grows */
    return run_once(&call, &args);
}

static int run_follow(const struct tk_call *call, const struct tk_stats_args *args)
{
    char message[TK_OPT_MESSAGE];
    struct followed followed = {call, args};
    const char *format = tk_out_format(&args->out, "table", message);
    if (!format)
        return tk_message_usage(call->program, message);
    if (args->list || args->save || args->summary || call->operands->n != 1 ||
        tk_kept_is(call->operands->v[0]))
        return tk_message_usage(
            call->program,
            "option '--follow' is for one capture, and goes without --list, --save and --summary");
    return tk_follow_run(&(struct tk_follow){.call = call,
                                             .idle = args->idle,
                                             .each = tk_out_is_for_people(format) && !args->out.path,
                                             .quiet = args->common.quiet,
                                             .report = report_followed,
                                             .ctx = &followed});
}

static bool is_listed(const struct tk_opt_list *list, const char *word)
{
    bool is = false;
    for (size_t i = 0; i < list->n; i++)
        is |= strcmp(list->v[i], word) == 0;
    return is;
}

/* What was displayed and is no longer as it was. */
static void say_changed(const struct tk_call *call, const struct tk_stats_args *args)
{
    static const char *const by_place[] = {"timers", "gpu", "groups", "per_frame", "sample_timers"};
    const struct tk_opt_list *tables = &args->plan.tables;
    const char *rule = args->deep.hitches;
    const bool smooth = is_listed(tables, "hitches") || is_listed(tables, "smoothness") || args->deep.target;
    bool timers = args->deep.per_frame.n > 0;
    for (size_t i = 0; i < sizeof by_place / sizeof *by_place; i++)
        timers |= is_listed(tables, by_place[i]);
    if (rule ? !*rule : smooth)
        tk_changed_say(call->program, &args->common, TK_CHANGED_HITCHES);
    if (timers && !is_listed(&args->by, "source"))
        tk_changed_say(call->program, &args->common, TK_CHANGED_TIMERS);
}

static int run_stats(const struct tk_call *call, const void *command_args)
{
    struct tk_stats_args with_sources = *(const struct tk_stats_args *)command_args;
    const struct tk_stats_args *args = &with_sources;
    with_sources.common.sources = with_sources.deep.source;
    if (args->follow && !(call->operands->n && tk_follow_is_tracy(call->operands->v[0])))
        return run_follow(call, args);
    if (args->idle)
        return tk_message_usage(call->program, "option '--idle' goes with '--follow' only");
    const int code = run_once(call, args);
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        say_changed(call, args);
    return code;
}

const struct tk_command tk_command_stats = {
    .name = "stats",
    .operands = "FILE",
    .summary = "Tables with percentiles of a capture: timers, frames, threads, regions, logs.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct tk_stats_args),
    .most = SIZE_MAX,
    .captures = 1,
    .run = run_stats,
};
