/*
 * trace-events: the decoded events themselves, in a stream; or how many there are of each type.
 */
#include "args/select.h"
#include "args/words.h"
#include "live/follow.h"
#include "pages/out.h"
#include "pages/tables.h"
#include "run/report.h"
#include "terminal/message.h"

#include <stdlib.h>
#include <string.h>

struct events_args {
    struct tk_common_args common;
    struct tk_out_args out;
    struct tk_select_args select;
    struct tk_row_args rows;
    struct tk_opt_list columns;
    const char *order, *idle;
    uint64_t top;
    bool count, follow;
};

#define AT(member) offsetof(struct events_args, member)

static const struct tk_opt events_options[] = {
    {0, "count", TK_OPT_FLAG, AT(count), NULL, "only count the events of each type"},
    {0, "order", TK_OPT_TEXT, AT(order), "ORDER", "file (default), serial or time"},
    {'c', "columns", TK_OPT_WORDS, AT(columns), "A,B,...", "these columns, in this order"},
    {'n', "top", TK_OPT_NUMBER, AT(top), "N", "only the first N events"},
    {0, "follow", TK_OPT_FLAG, AT(follow), NULL,
     "keep showing new events while FILE, or tcp://HOST[:PORT][/ID] of a store, grows, until the recording "
     "ends"},
    {0, "idle", TK_OPT_TEXT, AT(idle), "S",
     "with --follow: stop after this many seconds without new data, where the recorder does not signal its "
     "end "
     "(default "
     "10)"},
};

static const struct tk_opt_group groups[] = {
    {"Content", events_options, sizeof events_options / sizeof *events_options, 0},
    {"Selection", tk_select_options, TK_SELECT_COUNT - 1, AT(select)},
    {"Rows", tk_row_options, TK_ROW_COUNT_WHERE, AT(rows)},
    {"Output", tk_out_options, TK_OUT_COUNT, AT(out)},
    TK_COMMON_GROUP(AT(common)),
};

struct events {
    struct tk_query query;
    struct tk_row_filtering rows;
    bool flat;                    /* counts as one flat object */
    bool by_time;                 /* rows are kept and sorted */
    uint64_t top;                 /* rows that are displayed; 0: all */
    struct tk_row_window *window; /* the rows that are displayed; NULL: all */
    const char **columns; /* owned: those requested, and that to sort by, which is not displayed; or NULL */
};

/* What a line of the format for people has. */
static const char *const line_columns[] = {"time",   "thread",     "event",     "serial",
                                           "fields", "attachment", "incomplete"};

static const char time_column[] = "time";

/* In order of time they come when they are all there: the library knows only orders in which they can be
 * read. */
static bool find_order(struct events *e, const char *name)
{
    static const enum tk_order orders[] = {TK_ORDER_FILE, TK_ORDER_SERIAL};
    const size_t i = tk_words_find(tk_words_orders, name);
    e->by_time = strcmp(name, time_column) == 0;
    if (i < sizeof orders / sizeof *orders)
        e->query.order = orders[i];
    return tk_words_orders[i];
}

/* ---- counts as an object: a record whose fields are the types ---- */

struct counts {
    const struct tk_result *result;
    uint32_t event, count; /* columns */
};

static void count_value(const struct tk_record *rec, uint32_t field, struct tk_cell *out)
{
    const struct counts *c = rec->impl;
    *out = tk_result_row(c->result, 0, field)[c->count];
}

static bool find_counts(struct counts *c)
{
    const struct tk_table *table = tk_result_table(c->result, 0, NULL);
    bool event = false, count = false;
    for (uint32_t i = 0; i < table->n_columns; i++) {
        if (strcmp(table->columns[i].name, "event") == 0) {
            event = true;
            c->event = i;
        } else if (strcmp(table->columns[i].name, "count") == 0) {
            count = true;
            c->count = i;
        }
    }
    return event && count;
}

static int send_counts(const struct counts *c, const struct tk_str *names, size_t n,
                       const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_record_type type = {
        .name = "counts", .n_fields = (uint32_t)n, .fields = names, .value = count_value};
    const struct tk_record rec = {&type, c};
    const struct tk_cell cell = {.kind = TK_RECORD, .v.p = &rec};
    const struct tk_column column = {.name = "counts", .kind = TK_RECORD};
    const struct tk_table table = {
        .name = "event_counts", .columns = &column, .n_columns = 1, .flags = TK_TABLE_SINGLE};
    const struct tk_rows rows = {.n = 1, .cells = &cell};
    int rc = sink->begin(sink->self, &table, err);
    if (rc >= 0)
        rc = sink->rows(sink->self, &table, &rows, err);
    return rc >= 0 ? sink->end(sink->self, &table, err) : rc;
}

static int send_flat(const struct tk_result *result, const struct tk_sink *sink, struct tk_err *err)
{
    struct counts c = {.result = result};
    size_t n;
    tk_result_table(result, 0, &n);
    struct tk_str *names = malloc((n + 1) * sizeof *names);
    if (!names)
        return TK_ENOMEM;
    int rc = find_counts(&c) ? TK_OK : TK_EMATCH;
    for (size_t i = 0; i < n && rc >= 0; i++) {
        const struct tk_cell *cell = &tk_result_row(result, 0, i)[c.event];
        names[i] = (struct tk_str){.p = cell->v.p, .n = cell->n, .enc = cell->enc};
    }
    if (rc >= 0)
        rc = send_counts(&c, names, n, sink, err);
    free(names);
    return rc;
}

/* Runs the query and sorts what comes by a column; the result is to be freed, also after an error. */
static int run_sorted(const struct events *e, struct tk_trace *trace, const char *column,
                      struct tk_result **result, struct tk_err *err)
{
    *result = NULL;
    int rc = tk_result_new(result, err);
    if (rc < 0)
        return rc;
    struct tk_sink keep = tk_result_sink(*result);
    rc = tk_query_run(trace, &e->query, &keep, err);
    return rc < 0 ? rc : tk_result_sort(*result, 0, column, false, err);
}

static int count_flat(const struct events *e, struct tk_trace *trace, const struct tk_sink *sink,
                      struct tk_err *err)
{
    struct tk_result *result;
    int rc = run_sorted(e, trace, "event", &result, err);
    if (rc >= 0)
        rc = send_flat(result, sink, err);
    tk_result_free(result);
    return rc;
}

static int send_by_time(const struct events *e, struct tk_trace *trace, const struct tk_sink *sink,
                        struct tk_err *err)
{
    const char *const hidden[] = {e->columns ? time_column : NULL, NULL};
    const struct tk_column_filter show = {.hide = hidden};
    struct tk_result *result;
    int rc = run_sorted(e, trace, time_column, &result, err);
    if (rc >= 0)
        rc = tk_column_filter_table(result, 0, &show, sink, err);
    tk_result_free(result);
    return rc;
}

static int send_all(const struct events *e, struct tk_trace *trace, const struct tk_sink *sink,
                    struct tk_err *err)
{
    return e->flat      ? count_flat(e, trace, sink, err)
           : e->by_time ? send_by_time(e, trace, sink, err)
                        : tk_query_run(trace, &e->query, sink, err);
}

static int produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    const struct events *e = ctx;
    if (e->window) {
        const struct tk_sink some = tk_row_window_sink(e->window, sink);
        return tk_query_run(trace, &e->query, &some, err);
    }
    if (!e->top)
        return send_all(e, trace, sink, err);
    struct tk_first_rows first;
    const struct tk_sink some = tk_first_rows_sink(&first, e->top, sink);
    return tk_first_rows_end(&first, send_all(e, trace, &some, err));
}

/* ---- the command ---- */

static void choose_columns(struct tk_query *query, const struct events_args *args, const char *format)
{
    if (args->columns.n) {
        query->columns = (const char *const *)args->columns.v;
        query->n_columns = args->columns.n;
    } else if (!args->count && strcmp(format, "text") == 0) {
        query->columns = line_columns;
        query->n_columns = sizeof line_columns / sizeof *line_columns;
    }
}

/* What is sorted has a time, and what is chosen by its place an offset, whether they are to be displayed or
 * not.
 */
static bool add_column(struct events *e, const char *name)
{
    struct tk_query *query = &e->query;
    for (size_t i = 0; i < query->n_columns; i++)
        if (strcmp(query->columns[i], name) == 0)
            return true;
    if (!query->n_columns)
        return true;
    e->columns = malloc((query->n_columns + 1) * sizeof *e->columns);
    if (!e->columns)
        return false;
    memcpy(e->columns, query->columns, query->n_columns * sizeof *e->columns);
    e->columns[query->n_columns++] = name;
    query->columns = e->columns;
    if (e->window)
        e->window->hides = true;
    return true;
}

static bool add_hidden(struct events *e)
{
    if (e->window)
        return add_column(e, e->window->column);
    return !e->by_time || add_column(e, time_column);
}

static bool fill_query(struct events *e, const struct tk_call *call, const struct events_args *args,
                       char message[TK_OPT_MESSAGE])
{
    static const char *const tables[] = {"events", "event_counts"};
    struct tk_query *query = &e->query;
    *query = TK_INIT(struct tk_query);
    query->tables = &tables[args->count ? 1 : 0];
    query->n_tables = 1;
    if (!tk_out_check(&args->out, &query->unit, message) ||
        !tk_select_fill(&query->select, &args->select, message))
        return false;
    message[0] = 0; /* out of memory */
    e->rows =
        (struct tk_row_filtering){.program = call->program, .quiet = args->common.quiet, .each = args->count};
    if (!tk_row_fill(&e->rows, query, &args->rows, NULL))
        return false;
    query->select.events = (const char *const *)call->operands->v + 1;
    query->select.n_events = call->operands->n - 1;
    if (args->order && !find_order(e, args->order)) {
        snprintf(message, TK_OPT_MESSAGE, "there is no order '%.40s'; there are file, serial and time",
                 args->order);
        return false;
    }
    e->by_time &= !args->count;
    return true;
}

static int out_of_memory(const char *program)
{
    const struct tk_err none = {0};
    tk_message_error(program, NULL, TK_ENOMEM, &none);
    return TK_EXIT_FAILED;
}

/* Which table has what events of these names mean. */
static const struct {
    const char *events, *table;
} decoded[] = {{"Logging.", "logs"}, {"Misc.Bookmark", "bookmarks"}, {"CpuProfiler.EventBatch", "scopes"}};

static void name_decoded(const struct tk_call *call, const struct events_args *args, const char *format)
{
    for (size_t i = 1; i < call->operands->n && strcmp(format, "text") == 0 && !args->common.quiet; i++)
        for (size_t k = 0; k < sizeof decoded / sizeof *decoded; k++)
            if (strncmp(call->operands->v[i], decoded[k].events, strlen(decoded[k].events)) == 0) {
                tk_message_say(call->program, TK_MESSAGE_NOTE,
                               "these are the fields as recorded; 'trace-stats -t %s' shows them decoded",
                               decoded[k].table);
                return;
            }
}

static int run_once(const struct tk_call *call, const struct events_args *args, struct tk_row_window *window)
{
    char message[TK_OPT_MESSAGE];
    const char *format = tk_out_format(&args->out, args->count ? "table" : "text", message);
    if (!format)
        return tk_message_usage(call->program, message);
    struct events e = {
        .flat = args->count && strcmp(format, "json") == 0, .top = args->top, .window = window};
    if (call->operands->n == 0)
        return tk_message_usage(call->program, "which capture?");
    if (!tk_report_check_format(format, message) || !fill_query(&e, call, args, message)) {
        tk_opt_list_release(&e.rows.conditions);
        return tk_message_usage(call->program, message);
    }
    if (!e.flat)
        choose_columns(&e.query, args, format);
    if (!add_hidden(&e)) {
        tk_opt_list_release(&e.rows.conditions);
        return out_of_memory(call->program);
    }
    /* A single record in NDJSON is just that object. */
    int code = tk_report_run(&(struct tk_report){.call = call,
                                                 .chosen = args->columns.n > 0,
                                                 .path = call->operands->v[0],
                                                 .common = &args->common,
                                                 .out = &args->out,
                                                 .format = e.flat ? "ndjson" : format,
                                                 .produce = produce,
                                                 .ctx = &e});
    if (!window && !args->count && code != TK_EXIT_FAILED && code != TK_EXIT_USAGE)
        name_decoded(call, args, format);
    free(e.columns);
    tk_opt_list_release(&e.rows.conditions);
    return code;
}

/*
 * Events of a capture that is followed, by the packets in which they begin: those of packets that were there
 * at the reading before. Of newer ones the events may not be whole yet.
 */
struct followed {
    const struct tk_call *call;
    const struct events_args *args;
    uint64_t displayed, there; /* bytes whose events are displayed, and that the reading before had */
    bool begun;                /* something was written */
};

static int report_followed(void *ctx, const char *path, uint64_t bytes, bool last)
{
    struct followed *f = ctx;
    struct tk_opt_list words = *f->call->operands;
    char **operands = malloc(words.n * sizeof *operands);
    struct tk_row_window window = {
        .column = "offset", .from = f->displayed, .until = last ? UINT64_MAX : f->there};
    struct events_args args = *f->args;
    if (!operands)
        return out_of_memory(f->call->program);
    memcpy(operands, words.v, words.n * sizeof *operands);
    operands[0] = (char *)(uintptr_t)path;
    words.v = operands;
    args.common.quiet |= !last;
    args.out.no_header |= f->begun;
    const int code = run_once(&(struct tk_call){f->call->program, &words}, &args, &window);
    free(operands);
    f->begun = true;
    f->displayed = f->there;
    f->there = bytes;
    return code;
}

static bool adds_rows(const char *format)
{
    static const char *const formats[] = {"text", "ndjson", "csv", "tsv"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i], format) == 0)
            return true;
    return false;
}

static int run_follow(const struct tk_call *call, const struct events_args *args)
{
    char message[TK_OPT_MESSAGE];
    struct followed followed = {.call = call, .args = args};
    const char *format = tk_out_format(&args->out, "text", message);
    if (!format)
        return tk_message_usage(call->program, message);
    if (args->count || args->order || args->top || call->operands->n == 0)
        return tk_message_usage(
            call->program,
            "option '--follow' needs a capture, and excludes '--count', '--order' and '--top'");
    const bool each = adds_rows(format) && !args->out.path;
    return tk_follow_run(&(struct tk_follow){.call = call,
                                             .idle = args->idle,
                                             .each = each,
                                             .adds = each,
                                             .quiet = args->common.quiet,
                                             .report = report_followed,
                                             .ctx = &followed});
}

static int run_events(const struct tk_call *call, const void *command_args)
{
    const struct events_args *args = command_args;
    if (args->follow)
        return run_follow(call, args);
    if (args->idle)
        return tk_message_usage(call->program, "option '--idle' goes with '--follow' only");
    return run_once(call, args, NULL);
}

const struct tk_command tk_command_events = {
    .name = "events",
    .operands = "FILE [PATTERN...]",
    .summary = "The events of a capture as stored, or their counts.",
    .help = "PATTERN is Logger.Event, with * and ?; without a pattern all events are shown.\n",
    .groups = groups,
    .n_groups = sizeof groups / sizeof *groups,
    .args_size = sizeof(struct events_args),
    .most = SIZE_MAX,
    .captures = 1,
    .run = run_events,
};
