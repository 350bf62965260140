/*
 * Queries by name: from the words of a struct tk_query to builders.
 */
#include "api/trace.h"
#include "base/err.h"
#include "base/given.h"
#include "engine/run.h"
#include "kept/kept_reading.h"
#include "query/emit.h"
#include "query/select.h"
#include "table/sink.h"
#include "tracekit/sinks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The tables of a query, found. */
struct found {
    const struct tk_builder **builders; /* n of them */
    const struct tk_table **tables;     /* theirs */
    struct tk_builder *made;            /* for the tables of the format */
};

static int find_table(const struct tk_trace *trace, const char *name, const struct tk_builder **out,
                      struct tk_builder *made, struct tk_err *err)
{
    *out = tk_builder_find(name);
    if (*out)
        return TK_OK;
    const struct tk_table *rows = tk_format_rows_find(trace->ctx.format, name);
    *made = rows ? tk_rows_builder(rows) : (struct tk_builder){.table = NULL};
    if (!rows)
        made->table = tk_format_table_find(trace->ctx.format, name);
    *out = made;
    if (made->table)
        return TK_OK;
    if (tk_table_find(name))
        return tk_err_set(err, TK_EMATCH, "a capture of the format '%s' has no table '%s'",
                          trace->ctx.format->name, name);
    return tk_tables_fail(name, err);
}

bool tk_has_table(const struct tk_trace *trace, const char *name)
{
    if (!trace || !name)
        return false;
    const struct tk_builder *found;
    struct tk_builder made;
    return find_table(trace, name, &found, &made, NULL) == TK_OK;
}

static int find_tables(const struct tk_trace *trace, const struct tk_query *query, const struct found *found,
                       struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < query->n_tables && rc == TK_OK; i++)
        rc = find_table(trace, query->tables[i], &found->builders[i], &found->made[i], err);
    return rc;
}

static int check_lists(const struct tk_query *query, struct tk_err *err)
{
    TK_TEXTS_GIVEN(err, query->tables, query->n_tables);
    TK_TEXTS_GIVEN(err, query->columns, query->n_columns);
    TK_TEXTS_GIVEN(err, query->select.regions, query->select.n_regions);
    TK_TEXTS_GIVEN(err, query->select.threads, query->select.n_threads);
    TK_TEXTS_GIVEN(err, query->select.timers, query->select.n_timers);
    TK_TEXTS_GIVEN(err, query->select.events, query->select.n_events);
    TK_TEXTS_GIVEN(err, query->per_frame, query->n_per_frame);
    TK_TEXTS_GIVEN(err, query->where, query->n_where);
    return TK_OK;
}

/* Among several tables each column says of which it is. */
static int check_columns(const struct tk_query *query, size_t n_tables, struct tk_err *err)
{
    for (size_t i = 0; n_tables > 1 && i < query->n_columns; i++) {
        size_t t = 0;
        while (t < query->n_tables && !tk_projection_column(query->columns[i], query->tables[t]))
            t++;
        if (t == query->n_tables)
            return tk_err_set(
                err, TK_EUSAGE,
                "columns of several tables are named TABLE.COLUMN, and '%.60s' is of none of them",
                query->columns[i]);
    }
    return TK_OK;
}

static int check_query(const struct tk_query *query, struct tk_err *err)
{
    if (query->n_tables == 0)
        return tk_err_set(err, TK_EUSAGE, "a query without a table");
    if (query->order != TK_ORDER_FILE && query->order != TK_ORDER_SERIAL)
        return tk_err_set(err, TK_EUSAGE, "unknown order");
    size_t n = 0;
    for (size_t i = 0; i < query->n_tables; i++) {
        const struct tk_table *table = tk_table_find(query->tables[i]);
        n += !table || !tk_projection_whole(table, query);
    }
    return check_columns(query, n, err);
}

static int check_conditions(const struct tk_query *query, const struct found *found, struct tk_err *err)
{
    if (query->n_where == 0)
        return TK_OK;
    const struct tk_table **tables = calloc(query->n_tables, sizeof *tables);
    if (!tables)
        return tk_err_nomem(err, "the conditions of a query");
    for (size_t i = 0; i < query->n_tables; i++)
        tables[i] = found->builders[i]->table;
    const int rc = tk_row_filter_check(query, tables, query->n_tables, err);
    free(tables);
    return rc;
}

struct requested {
    struct tk_trace *trace;
    const struct found *found;
};

static int read_capture(void *self, const struct tk_query *query, const struct tk_sink *sink,
                        struct tk_err *err)
{
    const struct requested *a = self;
    return tk_run(&a->trace->ctx, a->trace->capture, a->found->builders, query->n_tables, query, sink, err);
}

/* Metrics are what their files say now. */
static bool wants_metrics(const struct tk_context *ctx, const struct tk_query *query)
{
    bool wants = false;
    for (size_t i = 0; ctx->options->metrics && i < query->n_tables; i++)
        wants |= strcmp(query->tables[i], "metrics") == 0;
    return wants;
}

/* Answers from what is kept of the capture, or reads it. */
static int answer(struct requested *a, const struct tk_query *query, const struct tk_sink *sink,
                  struct tk_err *err)
{
    struct tk_context *ctx = &a->trace->ctx;
    if (!ctx->known || wants_metrics(ctx, query))
        return read_capture(a, query, sink, err);
    for (size_t i = 0; i < query->n_tables; i++)
        /* NOLINTNEXTLINE(clang-analyzer-*): a query has a table, and each was found */
        a->found->tables[i] = a->found->builders[i]->table;
    const struct tk_kept_request request = {.ctx = ctx, .query = query, .tables = a->found->tables};
    const int rc = tk_kept_answers_send(&request, sink, err);
    if (rc != TK_OK)
        return rc < 0 ? rc : TK_OK;
    return tk_kept_answers_keep(&request, read_capture, a, sink, err);
}

static int run_query(struct tk_trace *trace, const struct tk_query *query, const struct tk_sink *sink,
                     struct tk_err *err)
{
    struct found found = {
        .builders = calloc(query->n_tables, sizeof *found.builders),
        .tables = calloc(query->n_tables, sizeof *found.tables),
        .made = calloc(query->n_tables, sizeof *found.made),
    };
    struct requested requested = {.trace = trace, .found = &found};
    int rc =
        found.builders && found.tables && found.made ? TK_OK : tk_err_nomem(err, "the tables of a query");
    if (rc == TK_OK)
        rc = find_tables(trace, query, &found, err);
    if (rc == TK_OK)
        rc = check_conditions(query, &found, err);
    if (rc == TK_OK)
        rc = answer(&requested, query, sink, err);
    free(found.builders);
    free(found.tables);
    free(found.made);
    return rc;
}

int tk_query_run(struct tk_trace *trace, const struct tk_query *query, const struct tk_sink *sink,
                 struct tk_err *err)
{
    TK_GIVEN(err, trace, query, sink);
    struct tk_query whole = {0};
    int rc = tk_struct_size_take(&whole, sizeof whole, query, "the query", err);
    if (rc == TK_OK)
        rc = check_lists(&whole, err);
    if (rc == TK_OK)
        rc = check_query(&whole, err);
    return rc < 0 ? rc : run_query(trace, &whole, sink, err);
}

int tk_result_query(struct tk_result **out, struct tk_trace *trace, const struct tk_query *query,
                    struct tk_err *err)
{
    TK_GIVEN_OUT(err, out, trace, query);
    int rc = tk_result_new(out, err);
    if (rc < 0)
        return rc;
    const struct tk_sink sink = tk_result_sink(*out);
    rc = tk_query_run(trace, query, &sink, err);
    if (rc < 0) {
        tk_result_free(*out);
        *out = NULL;
    }
    return rc;
}

static int keep_begin(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    int64_t *ns = self;
    (void)table;
    (void)err;
    const double epoch = rows->n && rows->cells->kind == TK_REAL ? rows->cells->v.r : NAN;
    if (fabs(epoch) < 9e9) /* the years that nanoseconds of 64 bits reach */
        *ns = llround(epoch * 1e9);
    return TK_OK;
}

int tk_trace_begin(struct tk_trace *trace, int64_t *ns, struct tk_err *err)
{
    static const char *const tables[] = {"capture"}, *const columns[] = {"epoch"};
    struct tk_query query = TK_INIT(struct tk_query);
    query.tables = tables;
    query.n_tables = 1;
    query.columns = columns;
    query.n_columns = 1;
    *ns = INT64_MIN;
    if (!tk_has_table(trace, tables[0]))
        return TK_OK;
    return tk_query_run(trace, &query, &(struct tk_sink){.self = ns, .rows = keep_begin}, err);
}
