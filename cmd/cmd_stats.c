/*
 * trace-stats: tables with statistics of a capture; without a question a page for people.
 *
 * Formats for people are sorted by the column of the table that people read it by; those for programs keep
 * the table's own order unless --sort or --top ask for another. Tables that are neither sorted nor cut are
 * not kept: they stream.
 */
#include "args/by.h"
#include "args/memory_args.h"
#include "args/questions.h"
#include "args/row_args.h"
#include "args/run_info.h"
#include "args/select.h"
#include "args/table_plan.h"
#include "live/follow.h"
#include "live/follow_tracy.h"
#include "pages/stats_page.h"
#include "run/anonymised.h"
#include "run/listing.h"
#include "run/past_end.h"
#include "run/report.h"
#include "run/save.h"
#include "show/column_filter.h"
#include "show/idle_threads.h"
#include "show/indent.h"
#include "show/list_tables.h"
#include "show/warnings.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

struct stats_args {
    struct tk_common_args common;
    struct tk_out_args out;
    struct tk_select_args select;
    struct tk_plan_args plan;
    struct tk_questions_args deep;
    struct tk_row_args rows;
    struct tk_memory_args memory;
    struct tk_opt_list by;
    struct tk_opt_list run_info;
    const char *save, *summary, *idle, *list;
    bool follow, plot;
    struct tk_text_args texts;
};

#define AT(member) offsetof(struct stats_args, member)

static const struct tk_opt stats_options[] = {
    {'t', "table", TK_OPT_WORDS, AT(plan.tables), "NAME,...",
     "these tables (default: a summary for people, else timers)"},
    {'c', "columns", TK_OPT_WORDS, AT(plan.columns), "A,B,...",
     "show only these columns, in this order (with a single --table)"},
    {0, "by", TK_OPT_WORDS, AT(by), "WHAT,...",
     "a row for each thread, where the table can; timers: also class, file, label, region, frame-type; "
     "memory: "
     "thread, tag, heap, size, asset, callstack, function, module, file"},
    {'s', "sort", TK_OPT_TEXT, AT(plan.sort), "COLUMN", "greatest first; COLUMN:asc for least first"},
    {'n', "top", TK_OPT_NUMBER, AT(plan.top), "N", "only the first N rows, sorted; of hitches the N longest"},
    {0, "save", TK_OPT_TEXT, AT(save), "FILE",
     "no table: write what trace-diff compares to a baseline; adds a run to one that exists, or a file to a "
     "folder"},
    TK_PER_OPTION(AT(common)),
    {0, "summary", TK_OPT_TEXT, AT(summary), "DIR",
     "no table: write the same as Parquet to a folder of many runs, TABLE/run=run-HASH/, for fleets"},
    TK_RUN_INFO_OPTION(AT(run_info), ""),
    {0, "follow", TK_OPT_FLAG, AT(follow), NULL,
     "show it again each second while FILE grows, or tcp://HOST[:PORT][/ID] of a store, until the recording "
     "ends"},
    {0, "idle", TK_OPT_TEXT, AT(idle), "S",
     "with --follow: stop after this many seconds without new data, where the recorder does not signal its "
     "end "
     "(default "
     "10)"},
    {0, "plot", TK_OPT_FLAG, AT(plot), NULL,
     "draw the tables (--format plot): frames, or with --counter their values, --per-frame, --histogram"},
    {'l', "list", TK_OPT_MAYBE, AT(list), "TABLE,...",
     "list all tables and their columns, or only the tables that are named (--list logs)"},
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

struct stats {
    struct tk_query query;
    struct tk_plan_args asked; /* with the tables of the questions; its lists are borrowed but `tables` */
    struct tk_opt_list tables; /* owned */
    struct tk_row_filtering rows;
    struct tk_plan plan;
    const char **with_warnings; /* owned: the tables of the query and one more; or NULL */
    const char *program;
    bool page;                      /* nothing was asked: the first page for people */
    bool folds;                     /* threads without scopes are one line */
    struct tk_stats_page_look look; /* of it */
};

/* Runs the query; what there is to warn of goes to standard error. */
static int run_query(const struct stats *s, struct tk_trace *trace, const struct tk_sink *sink,
                     struct tk_err *err)
{
    struct tk_query query = s->query;
    struct tk_warnings warn = {.to = sink, .program = s->program};
    if (!s->with_warnings)
        return tk_query_run(trace, &query, sink, err);
    const struct tk_sink warning = tk_warnings_sink(&warn);
    query.tables = s->with_warnings;
    query.n_tables++;
    return tk_query_run(trace, &query, &warning, err);
}

/* Is it what happened in hitches, beside them, where nothing did? */
static bool stands_empty(const struct tk_result *result, size_t index)
{
    size_t rows;
    return index && strcmp(tk_result_table(result, index, &rows)->name, "hitch_events") == 0 && rows == 0;
}

static int produce_kept(const struct stats *s, struct tk_trace *trace, struct tk_result *result,
                        const struct tk_sink *sink, struct tk_err *err)
{
    const char *const sorted_by[] = {s->plan.hidden, NULL};
    const struct tk_column_filter show = {.hide = sorted_by,
                                          .bare =
                                              !s->plan.people && s->query.by & (TK_BY_HUMAN | TK_BY_EXTRA),
                                          .usual = s->query.by & TK_BY_EXTRA};
    struct tk_sink keep = tk_result_sink(result);
    int rc = run_query(s, trace, &keep, err);
    if (rc >= 0)
        rc = tk_plan_apply(&s->plan, result, err);
    for (size_t i = 0; rc >= 0 && s->folds && i < tk_result_count(result); i++)
        tk_idle_threads_fold(result, i, s->program);
    for (size_t i = 0; rc >= 0 && i < tk_result_count(result); i++)
        if (!stands_empty(result, i))
            rc = tk_column_filter_table(result, i, &show, sink, err);
    return rc;
}

static int produce_rows(const struct stats *s, struct tk_trace *trace, const struct tk_sink *sink,
                        struct tk_err *err)
{
    struct tk_result *result;
    if (!tk_plan_keeps(&s->plan, &s->query))
        return run_query(s, trace, sink, err);
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    rc = produce_kept(s, trace, result, sink, err);
    tk_result_free(result);
    return rc;
}

static bool has_times(const struct tk_selection *select)
{
    return select->has_from || select->has_to || select->has_frames || select->from_bookmark ||
           select->to_bookmark || select->n_regions;
}

static int produce_page(const struct stats *s, struct tk_trace *trace, const struct tk_sink *sink,
                        struct tk_err *err)
{
    struct tk_stats_page *page;
    int rc = tk_stats_page_new(&page, err);
    if (rc < 0)
        return rc;
    const struct tk_sink hears = tk_stats_page_sink(page);
    struct tk_query timers = s->query;
    struct tk_page_threads room;
    rc = run_query(s, trace, &hears, err);
    if (rc >= 0) {
        tk_stats_page_ask(page, &s->look, &timers, &room);
        rc = tk_query_run(trace, &timers, &hears, err);
    }
    struct tk_query bound = s->query, usual = s->query;
    const struct tk_sink hears_usual = tk_stats_page_usual(page);
    tk_stats_page_ask_usual(&usual);
    if (rc >= 0 && has_times(&s->query.select))
        rc = tk_query_run(trace, &usual, &hears_usual, err);
    if (rc >= 0 && tk_stats_page_ask_bound(page, &bound))
        rc = tk_query_run(trace, &bound, &hears, err);
    if (rc >= 0)
        rc = tk_stats_page_send(page, &s->look, sink, err);
    tk_stats_page_free(page);
    return rc;
}

static int produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    const struct stats *s = ctx;
    struct tk_indent indent;
    const int reaches = tk_past_end_check(trace, &s->query.select, err);
    if (reaches < 0)
        return reaches;
    if (s->page)
        return produce_page(s, trace, sink, err);
    if (!s->plan.people)
        return produce_rows(s, trace, sink, err);
    const struct tk_sink indented = tk_indent_sink(&indent, sink);
    int rc = produce_rows(s, trace, &indented, err);
    tk_indent_release(&indent);
    return rc;
}

/* What is drawn where nothing else is asked. */
static bool add_plotted(struct tk_opt_list *tables, const struct stats_args *args)
{
    const char *name = args->rows.counters.n ? "counter_values" : "frames";
    return tables->n || !args->plot || tk_opt_list_add(tables, name, strlen(name));
}

/* The tables named, then those that answer the questions. */
static bool fill_tables(struct stats *s, const struct stats_args *args, bool people,
                        char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_list *named = &args->plan.tables;
    s->asked = args->plan;
    message[0] = 0; /* out of memory */
    for (size_t i = 0; i < named->n; i++)
        if (!tk_opt_list_add(&s->tables, named->v[i], strlen(named->v[i])))
            return false;
    if (!tk_questions_fill(&s->query, &args->deep, people, &s->tables, message))
        return false;
    if (!add_plotted(&s->tables, args))
        return false;
    if (!tk_row_fill(&s->rows, &s->query, &args->rows, &s->tables))
        return false;
    /* beside the only table that columns or an order are for there is no other */
    if (people && args->deep.hitches && args->plan.columns.n == 0 && !args->plan.sort &&
        !tk_opt_list_add(&s->tables, "hitch_events", 12))
        return false;
    if (s->query.by & TK_BY_GROUPINGS && s->tables.n == 0 && !tk_opt_list_add(&s->tables, "groups", 6))
        return false;
    s->asked.tables = s->tables;
    return true;
}

/* Is nothing asked but what part of the capture the page is about? */
static bool is_page(const struct stats *s, const struct stats_args *args, bool people)
{
    const struct tk_memory_args *memory = &args->memory;
    return people && s->tables.n == 0 && args->plan.columns.n == 0 && !args->plan.sort && args->by.n == 0 &&
           s->query.n_where == 0 && s->query.unit == TK_UNIT_NS && !args->out.exact && !memory->at &&
           memory->window.n == 0;
}

static void fill_page(struct stats *s, const struct stats_args *args)
{
    s->page = true;
    s->look = (struct tk_stats_page_look){.top = args->plan.top,
                                          .all_threads = args->select.threads.n || args->select.timers.n};
    s->look.selected = s->look.all_threads || has_times(&s->query.select);
    s->query.tables = tk_stats_page_tables;
    s->query.n_tables = TK_STATS_PAGE_TABLES;
    s->query.by = TK_BY_HUMAN | TK_BY_EXTRA;
    s->query.in_passing = true; /* of a crash what the session says */
}

static bool fill_stats(struct stats *s, const struct stats_args *args, const char *format,
                       char message[TK_OPT_MESSAGE])
{
    bool people = tk_out_is_for_people(format);
    s->query = TK_INIT(struct tk_query);
    s->rows.program = s->program;
    s->rows.quiet = args->common.quiet;
    s->rows.each = people;
    if (!tk_by_fill(&s->query.by, &args->by, "--by", message) || !fill_tables(s, args, people, message) ||
        !tk_memory_fill(&s->query, &args->memory, message) ||
        !tk_out_check(&args->out, &s->query.unit, message) || !tk_report_check_format(format, message) ||
        !tk_select_fill(&s->query.select, &args->select, message))
        return false;
    if (is_page(s, args, people)) {
        fill_page(s, args);
        return true;
    }
    s->folds = people && !args->common.quiet && !args->plan.top && strcmp(format, "markdown") != 0 &&
               args->plan.columns.n == 0 && !args->plan.sort && s->query.n_where == 0;
    return tk_plan_init(&s->plan, &s->asked, people, &s->query, message) && tk_by_check(&s->query, message);
}

/* Tables about times of scopes, which are read anyhow: with them it is told what is wrong with the times. */
static bool is_about_times(const char *name)
{
    const struct tk_table *table = tk_table_find(name);
    return table && table->flags & TK_TABLE_TIMES;
}

static bool add_warnings(struct stats *s, const struct stats_args *args, char message[TK_OPT_MESSAGE])
{
    bool any = false;
    for (size_t i = 0; i < s->query.n_tables && !args->common.quiet; i++)
        any |= is_about_times(s->query.tables[i]);
    for (size_t i = 0; i < s->query.n_tables; i++)
        any = any && strcmp(s->query.tables[i], TK_WARNINGS_TABLE) != 0;
    if (!any)
        return true;
    message[0] = 0; /* out of memory */
    s->with_warnings = calloc(s->query.n_tables + 1, sizeof *s->with_warnings);
    for (size_t i = 0; s->with_warnings && i < s->query.n_tables; i++)
        s->with_warnings[i] = s->query.tables[i];
    if (s->with_warnings)
        s->with_warnings[s->query.n_tables] = TK_WARNINGS_TABLE;
    return s->with_warnings;
}

/* Tables of stacks grow while all is read: what they grew out of goes back to the system. */
static void return_memory(const struct stats *s)
{
    static const char *const grow[] = {"tree", "callers", "callees"};
    for (size_t i = 0; i < s->query.n_tables; i++)
        for (size_t k = 0; k < sizeof grow / sizeof *grow; k++)
            if (strcmp(s->query.tables[i], grow[k]) == 0)
                tk_host_return_memory();
}

/* A copy of each name in a text with commas between them. */
static bool add_names(struct tk_opt_list *to, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == ',')) {
        n = strcspn(text, ",");
        if (n && !tk_opt_list_add(to, text, n))
            return false;
    }
    return true;
}

/* The tables that are asked for by --table, --list=NAME and operands; a capture among these is not read. */
static bool add_listed(struct tk_opt_list *to, const struct stats_args *args, const struct tk_call *call)
{
    const struct tk_opt_list *operands = call->operands, *named = &args->plan.tables;
    bool capture = false, ok = add_names(to, args->list);
    for (size_t i = 0; i < named->n && ok; i++)
        ok = add_names(to, named->v[i]);
    for (size_t i = 0; i < operands->n && ok; i++) {
        const bool file = !tk_table_find(operands->v[i]) && tk_host_exists(operands->v[i]);
        capture |= file;
        ok = file || add_names(to, operands->v[i]);
    }
    if (capture && !args->common.quiet)
        tk_message_say(
            call->program, TK_MESSAGE_NOTE,
            "the tables are the same for every capture; 'trace-info --can FILE' shows what this one "
            "has recorded");
    return ok;
}

static int run_list(struct tk_report *report, const struct stats_args *args, char message[TK_OPT_MESSAGE])
{
    struct tk_opt_list asked = {0};
    int code;
    report->produce = tk_list_tables;
    report->ctx = &asked;
    message[0] = 0; /* out of memory */
    if (add_listed(&asked, args, report->call) && tk_plan_check_tables(&asked, message) &&
        tk_report_check_format(report->format, message))
        code = tk_report_run(report);
    else
        code = tk_message_usage(report->call->program, message);
    tk_opt_list_release(&asked);
    return code;
}

static bool is_one_capture(const struct tk_opt_list *operands, char message[TK_OPT_MESSAGE])
{
    for (size_t i = 0; i < operands->n && operands->n > 1; i++)
        if (strcmp(operands->v[i], "-") != 0 && !tk_host_exists(operands->v[i])) {
            snprintf(message, TK_OPT_MESSAGE, "one capture at a time, and '%.200s' is not a file",
                     operands->v[i]);
            return false;
        }
    snprintf(message, TK_OPT_MESSAGE,
             "one capture at a time; 'trace-diff' compares two, 'trace-trend' shows many in order");
    return operands->n < 2;
}

static int run_query_of(struct stats *s, const struct stats_args *args, struct tk_report *report)
{
    char message[TK_OPT_MESSAGE];
    bool filled = fill_stats(s, args, report->format, message);
    if (filled && !is_one_capture(report->call->operands, message))
        return tk_message_usage(report->call->program, message);
    if (!filled || !add_warnings(s, args, message))
        return tk_message_usage(report->call->program, message);
    return_memory(s);
    report->path = s->look.file = report->call->operands->v[0];
    report->several = s->query.n_tables > 1;
    report->chosen = args->plan.columns.n > 0;
    return tk_report_run(report);
}

/* Of an anonymised copy, where that is asked for. */
static int save_capture(const struct tk_call *call, const struct stats_args *args,
                        const struct tk_selection *select, const struct tk_run_info *info)
{
    struct tk_anonymised copy;
    const enum tk_exit made =
        tk_anonymised_make(&copy, call->program, call->operands->v[0], &args->common, &args->texts);
    if (made != TK_EXIT_DONE && made != TK_EXIT_DAMAGED)
        return (int)made;
    struct tk_opt_list one = {.v = &copy.path, .n = 1};
    const struct tk_call other = {call->program, copy.path ? &one : call->operands};
    const enum tk_exit code = args->save
                                  ? tk_save_run(&other, &args->common, select, info, args->save)
                                  : tk_save_summary(&other, &args->common, select, info, args->summary);
    tk_anonymised_drop(&copy);
    return (int)tk_exit_worse(made, code);
}

/* What is wrong with the options beside --save or --summary, or NULL. */
static const char *misfit_of_save(const struct tk_call *call, const struct stats_args *args)
{
    if (call->operands->n > 1)
        return "takes one capture at a time";
    if (args->plot || args->plan.tables.n || args->plan.columns.n || args->plan.sort || args->plan.top ||
        args->by.n)
        return "prints no table: leave out --table, --columns, --by, --sort, --top and --plot";
    if (tk_questions_any(&args->deep))
        return "prints no table: leave out the questions, from --tree to --min-share";
    if (args->rows.where.n || args->rows.counters.n || args->rows.logs.n || args->rows.callstack)
        return "keeps whole tables: rows cannot be chosen";
    if (args->select.timers.n)
        return "keeps all timers, and does not go with '--timer'";
    if (args->summary && (tk_select_given(&args->select) || args->common.per))
        return "is of whole runs by frames, and does not go with a selection or '--per'";
    if (args->summary && strcmp(args->summary, "-") == 0)
        return "needs a folder to write to";
    return NULL;
}

static int run_save(const struct tk_call *call, const struct stats_args *args)
{
    struct tk_selection select = {0};
    char message[TK_OPT_MESSAGE];
    if (args->save && args->summary)
        return tk_message_usage(call->program, "options '--save' and '--summary' do not go together");
    const char *wrong = misfit_of_save(call, args);
    if (wrong) {
        snprintf(message, sizeof message, "option '%s' %s", args->save ? "--save" : "--summary", wrong);
        return tk_message_usage(call->program, message);
    }
    const struct tk_opt_set set = {groups, sizeof groups / sizeof *groups, (void *)(uintptr_t)args};
    if (!tk_select_fill(&select, &args->select, message) || !tk_anonymised_check(&args->texts, &set, message))
        return tk_message_usage(call->program, message);
    struct tk_run_info *info;
    int code = tk_run_info_option_read(&info, &args->run_info, call->program, args->common.quiet);
    if (code == TK_EXIT_DONE)
        code = save_capture(call, args, &select, info);
    tk_run_info_free(info);
    return code;
}

/* Of a baseline, or a folder of them, what it can tell. */
static int run_kept(const struct tk_call *call, const struct stats_args *args)
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
                                "a baseline has whole tables: rows are chosen by --where alone");
    return tk_kept_list(&(struct tk_kept_listing){.call = call,
                                                  .common = &args->common,
                                                  .out = &args->out,
                                                  .plan = &args->plan,
                                                  .rows = &args->rows,
                                                  .usual = usual,
                                                  .operands = (const char *const *)call->operands->v,
                                                  .n = call->operands->n});
}

static int run_once(const struct tk_call *call, const struct stats_args *args)
{
    struct stats s = {.program = call->program};
    char message[TK_OPT_MESSAGE];
    struct tk_report report = {
        .call = call, .common = &args->common, .out = &args->out, .produce = produce, .ctx = &s};
    report.format = tk_out_format(&args->out, args->plot ? "plot" : "table", message);
    if (!report.format)
        return tk_message_usage(call->program, message);
    if (args->plot && strcmp(report.format, "plot") != 0)
        return tk_message_usage(call->program, "option '--plot' draws, and does not go with another format");
    if (args->list)
        return run_list(&report, args, message);
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    if (tk_follow_is_tracy(call->operands->v[0]))
        return tk_follow_tracy(call);
    if (args->save || args->summary)
        return run_save(call, args);
    if (args->run_info.n)
        return tk_message_usage(call->program, "option '--run-info' goes with '--save' and '--summary' only");
    if (args->texts.anonymise || args->texts.key || args->texts.keep_text.n)
        return tk_message_usage(
            call->program, "option '--anonymise' goes with '--save' and '--summary' only; trace-edit makes "
                           "an anonymised capture");
    if (tk_kept_is(call->operands->v[0]))
        return run_kept(call, args);
    int code = run_query_of(&s, args, &report);
    tk_plan_release(&s.plan);
    tk_opt_list_release(&s.tables);
    tk_opt_list_release(&s.rows.conditions);
    free(s.with_warnings);
    free((void *)(uintptr_t)s.query.work);
    free((void *)(uintptr_t)s.query.allocators);
    return code;
}

/* A report on a capture that is followed. */
struct followed {
    const struct tk_call *call;
    const struct stats_args *args;
};

static int report_followed(void *ctx, const char *path, uint64_t bytes, bool last)
{
    const struct followed *f = ctx;
    (void)bytes;
    char *operands[] = {(char *)(uintptr_t)path};
    const struct tk_opt_list words = {operands, 1};
    const struct tk_call call = {f->call->program, &words};
    struct stats_args args = *f->args;
    args.common.quiet |= !last; /* that it ends inside a packet is no news while it grows */
    return run_once(&call, &args);
}

static int run_follow(const struct tk_call *call, const struct stats_args *args)
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

static int run_stats(const struct tk_call *call, const void *command_args)
{
    struct stats_args with_sources = *(const struct stats_args *)command_args;
    const struct stats_args *args = &with_sources;
    with_sources.common.sources = with_sources.deep.source;
    if (args->follow && !(call->operands->n && tk_follow_is_tracy(call->operands->v[0])))
        return run_follow(call, args);
    if (args->idle)
        return tk_message_usage(call->program, "option '--idle' goes with '--follow' only");
    return run_once(call, args);
}

const struct tk_command tk_command_stats = {
    .name = "stats",
    .operands = "FILE",
    .summary = "Tables with percentiles of a capture: timers, frames, threads, regions, logs.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct stats_args),
    .most = SIZE_MAX,
    .captures = 1,
    .run = run_stats,
};
