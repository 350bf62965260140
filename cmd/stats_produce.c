/*
 * Runs the query of trace-stats and shows its rows.
 *
 * Tables that are neither sorted nor cut are not kept: they stream.
 */
#include "cmd_in.h"
#include "pages/out.h"
#include "pages/tables.h"
#include "run/listing.h"
#include "terminal/message.h"
#include "tracekit/cells.h"
#include "tracekit/sinks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tk_stats_has_times(const struct tk_selection *select)
{
    return select->has_from || select->has_to || select->has_frames || select->from_bookmark ||
           select->to_bookmark || select->n_regions;
}

/* Runs the query; what there is to warn of goes to standard error. */
static int run_query(const struct tk_stats *s, struct tk_trace *trace, const struct tk_sink *sink,
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

/* Is it what happened in hitches, alongside them, where nothing did? */
static bool stands_empty(const struct tk_result *result, size_t index)
{
    size_t rows;
    return index && strcmp(tk_result_table(result, index, &rows)->name, "hitch_events") == 0 && rows == 0;
}

/* A single table, whose rows nobody looks at before they are displayed. */
static bool packs(const struct tk_stats *s)
{
    return s->query.n_tables == 1 && !(s->folds && strcmp(s->query.tables[0], "threads") == 0);
}

static int show_packed(const struct tk_result *result, const struct tk_column_filter *show,
                       const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_column_filtering filtering;
    const struct tk_sink filter = tk_column_filter_sink(&filtering, show, sink);
    int rc = tk_result_replay(result, &filter, err);
    tk_column_filtering_release(&filtering);
    return rc;
}

static int produce_kept(const struct tk_stats *s, struct tk_trace *trace, struct tk_result *result,
                        const struct tk_sink *sink, struct tk_err *err)
{
    const char *const sorted_by[] = {s->plan.hidden, NULL};
    const struct tk_column_filter show = {.hide = sorted_by,
                                          .bare =
                                              !s->plan.people && s->query.by & (TK_BY_HUMAN | TK_BY_EXTRA),
                                          .usual = s->query.by & TK_BY_EXTRA};
    struct tk_sink keep = tk_result_sink(result);
    if (packs(s))
        tk_result_pack(result);
    int rc = run_query(s, trace, &keep, err);
    if (rc >= 0)
        rc = tk_plan_apply(&s->plan, result, err);
    if (packs(s))
        return rc < 0 ? rc : show_packed(result, &show, sink, err);
    for (size_t i = 0; rc >= 0 && s->folds && i < tk_result_count(result); i++)
        tk_idle_threads_fold(result, i, s->program);
    for (size_t i = 0; rc >= 0 && i < tk_result_count(result); i++)
        if (!stands_empty(result, i))
            rc = tk_column_filter_table(result, i, &show, sink, err);
    return rc;
}

static int produce_rows(const struct tk_stats *s, struct tk_trace *trace, const struct tk_sink *sink,
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

static int produce_page(const struct tk_stats *s, struct tk_trace *trace, const struct tk_sink *sink,
                        struct tk_err *err)
{
    struct tk_stats_page *page;
    int rc = tk_stats_page_new(&page, err);
    if (rc < 0)
        return rc;
    const struct tk_sink hears = tk_stats_page_sink(page);
    struct tk_query timers = s->query;
    struct tk_page_threads capacity;
    rc = run_query(s, trace, &hears, err);
    if (rc >= 0) {
        tk_stats_page_ask(page, &s->look, &timers, &capacity);
        rc = tk_query_run(trace, &timers, &hears, err);
    }
    struct tk_query bound = s->query;
    if (rc >= 0 && tk_stats_page_ask_bound(page, &bound))
        rc = tk_query_run(trace, &bound, &hears, err);
    struct tk_query inside = s->query;
    if (rc >= 0 && tk_stats_page_ask_inside(page, &s->look, &inside, &capacity))
        rc = tk_query_run(trace, &inside, &hears, err);
    struct tk_query samples = s->query;
    if (rc >= 0 && tk_has_table(trace, "samples") && tk_stats_page_ask_samples(page, &samples))
        rc = tk_query_run(trace, &samples, &hears, err);
    if (rc >= 0)
        rc = tk_stats_page_send(page, &s->look, sink, err);
    tk_stats_page_free(page);
    return rc;
}

int tk_stats_produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    const struct tk_stats *s = ctx;
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

/*
 * trace-stats --by cell=SIZE: frames by place, as a table or, into a file .svg, as a drawing.
 */

enum { MOST_ROWS = 20 };

struct cells {
    struct tk_cells_options options;
    bool people;
    uint64_t top;
};

static const char by_cell[] = "cell=";

bool tk_stats_by_cell(const struct tk_stats_args *args)
{
    for (size_t i = 0; i < args->by.n; i++)
        if (strncmp(args->by.v[i], by_cell, sizeof by_cell - 1) == 0)
            return true;
    return false;
}

/* The worst first, by late frames where there is a target, then by the slowest ones; few of them. */
static int send_worst(const struct cells *c, struct tk_result *result, const struct tk_sink *sink,
                      struct tk_err *err)
{
    int rc = tk_result_sort(result, 0, "p95", true, err);
    if (rc == TK_OK && c->options.target > 0)
        rc = tk_result_sort(result, 0, "over", true, err);
    if (rc == TK_OK)
        tk_result_top(result, 0, c->top ? c->top : MOST_ROWS);
    return rc == TK_OK ? tk_result_replay(result, sink, err) : rc;
}

static int produce(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err)
{
    const struct cells *c = ctx;
    struct tk_result *result;
    if (!c->people)
        return tk_cells(trace, &c->options, sink, err);
    int rc = tk_result_new(&result, err);
    if (rc < 0)
        return rc;
    const struct tk_sink keep = tk_result_sink(result);
    rc = tk_cells(trace, &c->options, &keep, err);
    if (rc == TK_OK)
        rc = send_worst(c, result, sink, err);
    tk_result_free(result);
    return rc;
}

static bool read_cell(struct cells *c, const char *word, char message[TK_OPT_MESSAGE])
{
    return tk_opt_cell(word, &c->options.cell, &c->options.z, message);
}

/* What is wrong with the options alongside it, or NULL. */
static const char *misfit(const struct tk_stats_args *args, const struct tk_call *call)
{
    if (call->operands->n > 1 || tk_kept_is(call->operands->v[0]))
        return "option '--by cell' is for one capture";
    if (args->by.n > 1)
        return "option '--by cell=SIZE' goes with no other grouping";
    if (args->plan.tables.n || args->plan.columns.n || args->plot || args->plan.sort || args->rows.where.n ||
        tk_select_given(&args->select))
        return "option '--by cell' has a table of its own, of the whole capture: leave out tables, columns "
               "and selections";
    return NULL;
}

/* ---- the drawing ---- */

bool tk_stats_is_map(const struct tk_stats_args *args)
{
    static const char ending[] = ".svg";
    const size_t n = args->out.path ? strlen(args->out.path) : 0;
    return tk_stats_by_cell(args) && !args->out.format && n > sizeof ending - 1 &&
           strcmp(args->out.path + n - (sizeof ending - 1), ending) == 0;
}

static int write_map(struct tk_trace *trace, const struct tk_cells_options *options,
                     const struct tk_out_args *to, struct tk_err *err)
{
    struct tk_output *out;
    int rc = tk_output_open(&out, to->path, to->force, err);
    if (rc < 0)
        return rc;
    rc = tk_cells_map(trace, options, out, err);
    if (rc == TK_OK)
        return tk_output_commit(out, err);
    tk_output_discard(out);
    return rc;
}

int tk_stats_map(const struct tk_stats_args *args, const struct tk_call *call)
{
    char message[TK_OPT_MESSAGE];
    struct cells c = {.options = TK_INIT(struct tk_cells_options)};
    struct tk_capture_run run;
    const char *wrong = call->operands->n ? misfit(args, call) : "which capture?";
    if (wrong)
        snprintf(message, sizeof message, "%s", wrong);
    if (wrong || !read_cell(&c, args->by.v[0], message) ||
        !tk_opt_real("target", args->deep.target, false, &c.options.target, message))
        return tk_message_usage(call->program, message);
    c.options.position = args->common.position;
    const enum tk_exit code = tk_capture_open(&run, call->program, call->operands->v[0], &args->common);
    if (code != TK_EXIT_DONE)
        return (int)code;
    return (int)tk_capture_close(&run, write_map(run.trace, &c.options, &args->out, &run.err));
}

/* ---- the table ---- */

int tk_stats_cells(const struct tk_stats_args *args, struct tk_report *report)
{
    char message[TK_OPT_MESSAGE];
    const struct tk_call *call = report->call;
    struct cells c = {.options = TK_INIT(struct tk_cells_options),
                      .people = tk_out_is_for_people(report->format),
                      .top = args->plan.top};
    const char *wrong = misfit(args, call);
    if (wrong)
        snprintf(message, sizeof message, "%s", wrong);
    if (wrong || !tk_report_check_format(report->format, message) || !read_cell(&c, args->by.v[0], message) ||
        !tk_opt_real("target", args->deep.target, false, &c.options.target, message))
        return tk_message_usage(call->program, message);
    c.options.position = args->common.position;
    report->path = call->operands->v[0];
    report->produce = produce;
    report->ctx = &c;
    return tk_report_run(report);
}
