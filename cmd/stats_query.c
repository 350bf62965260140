/*
 * Makes the query of trace-stats of its arguments: tables, questions, selection, order.
 *
 * Formats for people are sorted by the column of the table that people read it by; those for programs keep
 * the table's own order unless --sort or --top ask for another.
 */
#include "args/run_info.h"
#include "args/table_plan.h"
#include "cmd_in.h"
#include "pages/out.h"
#include "pages/tables.h"
#include "run/save.h"
#include "terminal/host.h"
#include "terminal/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Lists tables and their columns.
 */

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

/* The tables that are requested by --table, --list=NAME and operands; a capture among these is not read. */
static bool add_listed(struct tk_opt_list *to, const struct tk_stats_args *args, const struct tk_call *call)
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

int tk_stats_list(struct tk_report *report, const struct tk_stats_args *args)
{
    char message[TK_OPT_MESSAGE];
    struct tk_opt_list requested = {0};
    int code;
    report->produce = tk_list_tables;
    report->ctx = &requested;
    message[0] = 0; /* out of memory */
    if (add_listed(&requested, args, report->call) && tk_plan_check_tables(&requested, message) &&
        tk_report_check_format(report->format, message))
        code = tk_report_run(report);
    else
        code = tk_message_usage(report->call->program, message);
    tk_opt_list_release(&requested);
    return code;
}

/*
 * Saves a run, of an anonymised copy where that is requested.
 */

/* Of an anonymised copy, where that is requested. */
static int save_capture(const struct tk_call *call, const struct tk_stats_args *args,
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

/* What is wrong with the options alongside --save or --summary, or NULL. */
static const char *misfit_of_save(const struct tk_call *call, const struct tk_stats_args *args)
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

int tk_stats_save(const struct tk_call *call, const struct tk_stats_args *args, const struct tk_opt_set *set)
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
    if (!tk_select_fill(&select, &args->select, message) || !tk_anonymised_check(&args->texts, set, message))
        return tk_message_usage(call->program, message);
    struct tk_run_info *info;
    int code = tk_run_info_option_read(&info, &args->run_info, call->program, args->common.quiet);
    if (code == TK_EXIT_DONE)
        code = save_capture(call, args, &select, info);
    tk_run_info_free(info);
    return code;
}

/* What is drawn where nothing else is requested. */
static bool add_plotted(struct tk_opt_list *tables, const struct tk_stats_args *args)
{
    const char *name = args->rows.counters.n ? "counter_values" : "frames";
    return tables->n || !args->plot || tk_opt_list_add(tables, name, strlen(name));
}

/* The tables named, then those that answer the questions. */
static bool fill_tables(struct tk_stats *s, const struct tk_stats_args *args, bool people,
                        char message[TK_OPT_MESSAGE])
{
    const struct tk_opt_list *named = &args->plan.tables;
    s->requested = args->plan;
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
    /* alongside the only table that columns or an order are for there is no other */
    if (people && args->deep.hitches && args->plan.columns.n == 0 && !args->plan.sort &&
        !tk_opt_list_add(&s->tables, "hitch_events", 12))
        return false;
    if (s->query.by & TK_BY_GROUPINGS && s->tables.n == 0 && !tk_opt_list_add(&s->tables, "groups", 6))
        return false;
    s->requested.tables = s->tables;
    return true;
}

/* Is nothing requested but what part of the capture the page is about? */
static bool is_page(const struct tk_stats *s, const struct tk_stats_args *args, bool people)
{
    const struct tk_memory_args *memory = &args->memory;
    return people && s->tables.n == 0 && args->plan.columns.n == 0 && !args->plan.sort && args->by.n == 0 &&
           s->query.n_where == 0 && s->query.unit == TK_UNIT_NS && !args->out.exact && !memory->at &&
           memory->window.n == 0;
}

static void fill_page(struct tk_stats *s, const struct tk_stats_args *args)
{
    s->page = true;
    s->look = (struct tk_stats_page_look){.top = args->plan.top,
                                          .all_threads = args->select.threads.n || args->select.timers.n};
    s->look.selected = s->look.all_threads || tk_stats_has_times(&s->query.select);
    s->query.tables = tk_stats_page_tables;
    s->query.n_tables = TK_STATS_PAGE_TABLES;
    s->query.by = TK_BY_HUMAN | TK_BY_EXTRA;
    s->query.in_passing = true; /* of a crash what the session says */
}

static bool fill_query(struct tk_stats *s, const struct tk_stats_args *args, const char *format,
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
    return tk_plan_init(&s->plan, &s->requested, people, &s->query, message) &&
           tk_by_check(&s->query, message);
}

/* Tables about times of scopes, which are read anyhow: with them it is reported what is wrong with the times.
 */
static bool is_about_times(const char *name)
{
    const struct tk_table *table = tk_table_find(name);
    return table && table->flags & TK_TABLE_TIMES;
}

static bool add_warnings(struct tk_stats *s, const struct tk_stats_args *args, char message[TK_OPT_MESSAGE])
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

/* Tables of stacks and groups grow while all is read: what they grew out of goes back to the system. */
static void return_memory(const struct tk_stats *s)
{
    static const char *const grow[] = {"tree", "callers", "callees", "groups"};
    for (size_t i = 0; i < s->query.n_tables; i++)
        for (size_t k = 0; k < sizeof grow / sizeof *grow; k++)
            if (strcmp(s->query.tables[i], grow[k]) == 0)
                tk_host_return_memory();
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

static int answer(struct tk_stats *s, const struct tk_stats_args *args, struct tk_report *report)
{
    char message[TK_OPT_MESSAGE];
    bool filled = fill_query(s, args, report->format, message);
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

int tk_stats_answer(const struct tk_stats_args *args, struct tk_report *report)
{
    struct tk_stats s = {.program = report->call->program};
    report->produce = tk_stats_produce;
    report->ctx = &s;
    const int code = answer(&s, args, report);
    tk_plan_release(&s.plan);
    tk_opt_list_release(&s.tables);
    tk_opt_list_release(&s.rows.conditions);
    free(s.with_warnings);
    free((void *)(uintptr_t)s.query.work);
    free((void *)(uintptr_t)s.query.allocators);
    return code;
}
