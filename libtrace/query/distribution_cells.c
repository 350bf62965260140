/*
 * What stands in the columns of a distribution. See distribution_cells.h.
 */
#include "query/distribution_cells.h"

#include "query/context_cells.h"

static struct tk_cell cell_of(const struct tk_query_context *view, enum tk_kind kind, uint64_t value)
{
    return kind == TK_DURATION ? tk_query_context_span(view, (int64_t)value) : tk_cell_of_uint(value);
}

static struct tk_cell mean_of(const struct tk_query_context *view, enum tk_kind kind,
                              const struct tk_distribution *d)
{
    struct tk_cell total = cell_of(view, kind, d->total);
    return kind == TK_DURATION ? tk_cell_of_mean((double)total.v.i / (double)d->count)
                               : tk_cell_of_real((double)total.v.u / (double)d->count);
}

void tk_distribution_put(const struct tk_query_context *view, enum tk_kind kind,
                         const struct tk_distribution *d, struct tk_cell cells[TK_DISTRIBUTION_COLUMNS])
{
    static const struct {
        unsigned column, share;
    } percentiles[] = {{TK_DISTRIBUTION_MEDIAN, 50}, {TK_DISTRIBUTION_P95, 95}, {TK_DISTRIBUTION_P99, 99}};
    if (!d->count)
        return;
    cells[TK_DISTRIBUTION_MIN] = cell_of(view, kind, d->min);
    cells[TK_DISTRIBUTION_MAX] = cell_of(view, kind, d->max);
    cells[TK_DISTRIBUTION_MEAN] = mean_of(view, kind, d);
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++)
        cells[percentiles[i].column] =
            cell_of(view, kind, tk_distribution_percentile(d, percentiles[i].share, 100));
}
