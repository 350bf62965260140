/*
 * Table `metrics`: the metrics that a capture was opened with, and their values.
 */
#include "query/metrics.h"

#include "query/context_cells.h"
#include "query/tables.h"

#include <math.h>
#include <stdlib.h>

enum { NAME, UNIT, BETTER, VALUE, STATE, SOURCE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [NAME] = {"name", TK_TEXT, 0, NULL, "name of the metric"},
    [UNIT] = {"unit", TK_TEXT, 0, NULL, "unit of its value"},
    [BETTER] = {"better", TK_TEXT, 0, NULL, "less, more or neither"},
    [VALUE] = {"value", TK_REAL, 0, NULL, "its value, in its unit; empty if the capture gives none"},
    [STATE] = {"state", TK_TEXT, 0, NULL, "measured, or none if the capture gives no value"},
    [SOURCE] = {"source", TK_TEXT, 0, NULL, "what it is made of: sql, counter, timer, region, log or event"},
};

static const struct tk_table table = {
    .name = "metrics",
    .help = "the metrics of --metric, in the order of their files",
    .columns = columns,
    .n_columns = COLUMNS,
    .none = "no metric was named: --metric FILE does",
};

static int send_metrics(const struct tk_metrics *m, const double *values, struct tk_emit *emit)
{
    for (size_t i = 0; i < m->n; i++) {
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        row[NAME] = tk_cell_of_c(m->v[i]->name);
        row[UNIT] = tk_cell_of_c(m->v[i]->unit);
        row[BETTER] = tk_cell_of_c(tk_metric_better_name(m->v[i]->better));
        row[STATE] = tk_cell_of_c(isnan(values[i]) ? "none" : "measured");
        row[SOURCE] = tk_cell_of_c(tk_metric_source_name(m->v[i]->source));
        if (!isnan(values[i]))
            row[VALUE] = tk_cell_of_real(values[i]);
    }
    return TK_OK;
}

static int finish_metrics(void *self, struct tk_emit *emit, struct tk_err *err)
{
    const struct tk_query_context *view = self;
    const struct tk_context *ctx = view->ctx;
    const struct tk_metrics *m = ctx->options ? ctx->options->metrics : NULL;
    const struct tk_metric_capture of = {ctx->path, ctx->options, &ctx->limits, &view->query->select};
    if (!m)
        return TK_OK;
    double *values = calloc(m->n + 1, sizeof *values);
    int rc = values ? m->measure(m, &of, values, err) : tk_err_nomem(err, "metrics");
    if (rc == TK_OK)
        rc = send_metrics(m, values, emit);
    free(values);
    return rc;
}

const struct tk_builder tk_builder_metrics = {
    .table = &table,
    .open = tk_query_context_open,
    .finish = finish_metrics,
};
