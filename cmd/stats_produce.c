/*
 * Runs the query of trace-stats and shows its rows.
 *
 * Tables that are neither sorted nor cut are not kept: they stream.
 */
#include "cmd_in.h"
#include "pages/column_filter.h"
#include "pages/out.h"
#include "pages/thread_rows.h"
#include "run/listing.h"

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
