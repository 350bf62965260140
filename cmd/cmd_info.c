/*
 * trace-info: the contents of a capture: session, threads, channels, and the health of the file.
 *
 * Unasked, people get a first page of some lines, for which all is read. Formats for programs have tables: of
 * headers, definitions and what the session says, or with --full of everything.
 */
#include "args/select.h"
#include "pages/summary_pages.h"
#include "pages/tables.h"
#include "run/listing.h"
#include "run/report.h"
#include "terminal/message.h"

#include <stdio.h>
#include <string.h>

struct info_args {
    struct tk_common_args common;
    struct tk_out_args out;
    struct tk_row_args rows;
    bool full, types, coverage, can, modules, missing;
};

#define AT(member) offsetof(struct info_args, member)

static const struct tk_opt info_options[] = {
    {0, "full", TK_OPT_FLAG, AT(full), NULL,
     "show all tables with complete data: exact times, scopes per thread, all faults"},
    {0, "types", TK_OPT_FLAG, AT(types), NULL, "also list the declared event types"},
    {0, "coverage", TK_OPT_FLAG, AT(coverage), NULL, "also list which events are decoded"},
    {0, "can", TK_OPT_FLAG, AT(can), NULL,
     "also list the questions it can answer, and how to record the rest"},
    {0, "modules", TK_OPT_FLAG, AT(modules), NULL,
     "also list the modules that contain recorded addresses, and their symbol files"},
    {0, "missing", TK_OPT_FLAG, AT(missing), NULL,
     "list only the missing symbols: paths in a symbol store, build ids, UUIDs"},
};

static const struct tk_opt_group groups[] = {
    {"Content", info_options, sizeof info_options / sizeof *info_options, 0},
    {"Rows", tk_row_options, TK_ROW_COUNT_WHERE, AT(rows)},
    {"Output", tk_out_options, TK_OUT_COUNT_PLAIN, AT(out)},
    TK_COMMON_GROUP(AT(common)),
};

/* When a table is requested, and whether the page for people has it. */
struct part {
    const char *table;
    bool full, quick; /* with, without --full */
    bool on_page, on_full_page;
};

static const struct part parts[] = {
    {"crash", true, true, true, true},    {"capture", true, true, true, true},
    {"file", true, true, true, true},     {"session", true, true, true, true},
    {"threads", true, false, true, true}, {"open_scopes", true, false, true, true},
    {"streams", false, true, true, true}, {"channels", true, true, true, true},
    {"toggles", true, true, false, true}, {"health", true, true, true, true},
    {"ledger", true, true, false, true},  {"edits", true, true, true, true},
};

#define MOST_TABLES (sizeof parts / sizeof *parts + 7)

struct info {
    const struct info_args *args;
    bool page;
    bool first; /* the first page: nothing more was requested */
    bool only_can, only_modules;
    struct tk_missing_count missing;
    const char *tables[MOST_TABLES];
    size_t n_tables;
    bool full;                 /* tables as with --full */
    struct tk_query requested; /* what conditions say of it */
    struct tk_row_filtering rows;
};

static void add_info(struct info *info, const struct tk_trace *trace, const char *table)
{
    if (tk_has_table(trace, table))
        info->tables[info->n_tables++] = table;
}

static void choose_tables(struct info *info, const struct tk_trace *trace)
{
    bool full = info->full;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *p = &parts[i];
        bool requested = full ? p->full : p->quick;
        bool displayed = !info->page || (full ? p->on_full_page : p->on_page);
        if (requested && displayed)
            add_info(info, trace, p->table);
    }
    if (info->args->can)
        add_info(info, trace, "can");
    if (info->args->modules)
        add_info(info, trace, "symbol_files");
    if (info->args->types)
        add_info(info, trace, "types");
    if (info->args->types && full)
        add_info(info, trace, "event_counts");
    if (info->args->coverage) {
        add_info(info, trace, "coverage");
        add_info(info, trace, "coverage_summary");
    }
}

static void choose_first(struct info *info, const struct tk_trace *trace)
{
    const char *const *const tables[] = {tk_info_page_tables, tk_info_page_part_tables,
                                         tk_info_page_front_tables};
    for (const char *const *name = tables[tk_in_part(trace, NULL, 0)]; *name; name++)
        add_info(info, trace, *name);
}

/* Is a condition about a column of this table? The name of the column ends at what compares. */
static bool is_about(const char *condition, const struct tk_table *table)
{
    size_t n = strcspn(condition, "=!<>~ ");
    const char *dot = memchr(condition, '.', n);
    if (dot) {
        const size_t of = (size_t)(dot - condition);
        if (strlen(table->name) != of || memcmp(table->name, condition, of) != 0)
            return false;
        n -= of + 1;
        condition = dot + 1;
    }
    for (size_t i = 0; i < table->n_columns; i++)
        if (strlen(table->columns[i].name) == n && memcmp(table->columns[i].name, condition, n) == 0)
            return true;
    return false;
}

/* With conditions a page has the tables that they are about. */
static bool is_wanted(const struct info *info, const struct tk_table *table)
{
    bool any = info->requested.n_where == 0;
    for (size_t i = 0; i < info->requested.n_where; i++)
        any |= is_about(info->requested.where[i], table);
    return any;
}

/* A page leaves out what is empty. */
static int send_page(const struct info *info, const struct tk_result *result, const struct tk_sink *sink,
                     struct tk_err *err)
{
    static const char *const least[] = {"last", "dur", "threads", "timers", "faults", "notices", NULL};
    const struct tk_column_filter show = {.least = info->args->full ? NULL : least};
    size_t wanted = 0;
    int rc = TK_OK;
    for (size_t i = 0; i < tk_result_count(result) && rc >= 0; i++) {
        size_t n_rows;
        const struct tk_table *table = tk_result_table(result, i, &n_rows);
        wanted += is_wanted(info, table);
        if (n_rows && is_wanted(info, table))
            rc = tk_column_filter_table(result, i, &show, sink, err);
    }
    if (rc < 0 || wanted)
        return rc;
    *err = (struct tk_err){.code = TK_EMATCH, .n = 1};
    snprintf(err->text[0], TK_ERR_TEXT,
             "no table of the page has a column for '%.200s'; trace-stats --list names tables and columns",
             info->requested.where[0]);
    return TK_EMATCH;
}

static bool reads_all(const struct info *info, const struct tk_trace *trace)
{
    return info->full || (info->first && tk_in_part(trace, NULL, 0) != 2) || info->args->modules ||
           info->args->missing;
}

/* The first page; of a capture that is opened in part also its end is requested. */
static int send_first(const struct tk_result *result, struct tk_trace *trace, const struct tk_sink *sink,
                      struct tk_err *err)
{
    static const char *const tables[] = {"capture", "frames"};
    char part[128];
    struct tk_info_page page = {.result = result, .part = part};
    struct tk_result *ends = NULL;
    struct tk_query query = TK_INIT(struct tk_query);
    const int in_part = tk_in_part(trace, part, sizeof part);
    query.tables = tables;
    query.n_tables = in_part == 2 ? 1 : 2; /* nothing is counted before all events */
    query.in_passing = true;
    int rc = TK_OK;
    if (in_part) {
        rc = tk_result_new(&ends, err);
        if (rc < 0)
            return rc;
        struct tk_sink keep = tk_result_sink(ends);
        rc = tk_query_run(trace, &query, &keep, err);
        page.ends = ends;
    }
    page.lossy = tk_lossy(trace);
    page.only_late = page.lossy && tk_message_only_late(trace);
    if (rc >= 0)
        rc = tk_info_page_send(&page, sink, err);
    tk_result_free(ends);
    return rc;
}

static int produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    struct info *info = ctx;
    struct tk_query query = info->requested;
    struct tk_result *result;
    info->n_tables = 0;
    if (info->first)
        choose_first(info, trace);
    else if (info->only_can)
        add_info(info, trace, "can");
    else if (info->only_modules)
        add_info(info, trace, "symbol_files");
    else
        choose_tables(info, trace);
    query.tables = info->tables;
    query.n_tables = info->n_tables;
    query.by |= info->first ? TK_BY_EXTRA : 0; /* the roles of threads */
    /* Only in their own order do events show which of them are missing. */
    query.in_passing = !reads_all(info, trace);
    query.order = reads_all(info, trace) ? TK_ORDER_SERIAL : TK_ORDER_FILE;
    if (!info->page && !info->args->missing)
        return tk_query_run(trace, &query, sink, err);
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    struct tk_sink keep = tk_result_sink(result);
    rc = tk_query_run(trace, &query, &keep, err);
    if (rc >= 0)
        rc = info->args->missing ? tk_missing_page_send(result, &info->missing, sink, err)
             : info->first       ? send_first(result, trace, sink, err)
             : info->only_can    ? tk_can_page_send(result, sink, err)
                                 : send_page(info, result, sink, err);
    tk_result_free(result);
    return rc;
}

/* The runs of a baseline, or of a folder of them. */
static int run_kept(const struct tk_call *call, const struct info_args *args)
{
    static const char *const usual[] = {"runs", NULL};
    const struct tk_plan_args plan = {0};
    if (args->full || args->types || args->coverage || args->can || args->modules || args->missing)
        return tk_message_usage(call->program, "options '--full', '--types', '--coverage', '--can', "
                                               "'--modules' and '--missing' are for captures");
    return tk_kept_list(&(struct tk_kept_listing){.call = call,
                                                  .common = &args->common,
                                                  .out = &args->out,
                                                  .plan = &plan,
                                                  .usual = usual,
                                                  .operands = (const char *const *)call->operands->v,
                                                  .n = 1});
}

static void tell_missing(const struct tk_call *call, const struct info *info)
{
    const struct tk_missing_count *count = &info->missing;
    if (info->args->common.quiet || info->requested.n_where || (count->requested && !count->unnamed))
        return;
    if (count->unnamed)
        tk_message_say(call->program, TK_MESSAGE_NOTE,
                       "%zu module%s without symbols %s no id to search by; --modules names them",
                       count->unnamed, count->unnamed == 1 ? "" : "s", count->unnamed == 1 ? "has" : "have");
    else
        tk_message_say(call->program, TK_MESSAGE_NOTE, "no symbols are missing");
}

/* What is missing is for other programs: lines without a heading. */
static int run_missing(const struct tk_call *call, struct info *info, const char *format)
{
    struct tk_out_args out = info->args->out;
    out.no_header = tk_out_is_for_people(format);
    info->only_modules = true;
    int code = tk_report_run(&(struct tk_report){.call = call,
                                                 .path = call->operands->v[0],
                                                 .common = &info->args->common,
                                                 .out = &out,
                                                 .format = out.no_header ? "tsv" : format,
                                                 .produce = produce,
                                                 .ctx = info});
    if (code == TK_EXIT_DONE || code == TK_EXIT_DAMAGED)
        tell_missing(call, info);
    return code;
}

static int run_captures(const struct tk_call *call, struct info *info, const char *format)
{
    const struct info_args *args = info->args;
    info->full = args->full || (info->page && info->requested.n_where);
    const bool more = info->full || args->types || args->coverage || args->out.exact;
    if (args->missing && (args->full || args->types || args->coverage || args->can || args->modules))
        return tk_message_usage(call->program,
                                "option '--missing' is a list of its own: leave out --full, --types, "
                                "--coverage, --can and --modules");
    if (args->missing)
        return run_missing(call, info, format);
    info->only_can = info->page && args->can && !args->modules && !more;
    info->only_modules = info->page && args->modules && !args->can && !more;
    info->first = info->page && !args->can && !args->modules && !more;
    struct tk_common_args common = args->common;
    common.in_part = info->first && !common.strict && !common.strict_loss;
    return tk_report_run(&(struct tk_report){.call = call,
                                             .path = call->operands->v[0],
                                             .common = &common,
                                             .out = &args->out,
                                             .format = format,
                                             .several = true,
                                             .produce = produce,
                                             .ctx = info});
}

static int run_info(const struct tk_call *call, const void *args)
{
    struct info info = {.args = args};
    const struct tk_out_args *out = &info.args->out;
    char message[TK_OPT_MESSAGE];
    const char *format = tk_out_format(out, "table", message);
    enum tk_unit unit;
    if (!format)
        return tk_message_usage(call->program, message);
    if (strcmp(format, "text") == 0)
        format = "table";
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    if (tk_kept_is(call->operands->v[0]))
        return run_kept(call, args);
    if (!tk_out_check(out, &unit, message) || !tk_report_check_format(format, message))
        return tk_message_usage(call->program, message);
    info.page = tk_out_is_for_people(format);
    info.requested = TK_INIT(struct tk_query);
    info.rows = (struct tk_row_filtering){.program = call->program, .quiet = info.args->common.quiet};
    if (!tk_row_fill(&info.rows, &info.requested, &info.args->rows, NULL)) {
        tk_opt_list_release(&info.rows.conditions);
        return tk_message_usage(call->program, "");
    }
    const int code = run_captures(call, &info, format);
    tk_opt_list_release(&info.rows.conditions);
    return code;
}

const struct tk_command tk_command_info = {
    .name = "info",
    .operands = "FILE",
    .summary = "Content of a capture: session, engine, duration, threads, channels, health of the file.",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct info_args),
    .most = 1,
    .captures = 1,
    .run = run_info,
};
