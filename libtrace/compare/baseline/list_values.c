/*
 * Tables `counters` and `memory` of a baseline: what values of a run come to.
 */
#include "compare/baseline/listing.h"
#include "table/cell.h"
#include "table/sink.h"

enum { RUN, NAME, COUNT, MEAN, FIRST, LAST, LOW, HIGH, COLUMNS };

static const struct tk_column columns_list_values[COLUMNS] = {
    [RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "of the counter or memory tag"},
    [COUNT] = {"count", TK_UINT, 0, NULL, "values, or allocations"},
    [MEAN] = {"mean", TK_REAL, 0, NULL, "mean of the values in game frames"},
    [FIRST] = {"first", TK_REAL, 0, NULL, "at the start of the first game frame"},
    [LAST] = {"last", TK_REAL, 0, NULL, "the last value"},
    [LOW] = {"min", TK_REAL, 0, NULL, "the least value"},
    [HIGH] = {"max", TK_REAL, 0, NULL, "the greatest value"},
};

static struct tk_cell mean_cell(const struct tk_base_run *run, const struct tk_series *s)
{
    double sum = 0, hits = 0;
    for (uint32_t b = 0; b < run->n_blocks; b++) {
        sum += s->blocks[b];
        hits += s->hits[b];
    }
    return hits > 0 ? tk_cell_of_real(sum / hits) : (struct tk_cell){.kind = TK_NONE};
}

static int rows_of_values(enum tk_series_kind kind, const struct tk_base_run *run, uint64_t number,
                          const struct tk_table *table, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < run->series.n && rc >= 0; i++) {
        const struct tk_series *s = run->series.v[i];
        if (s->kind != kind)
            continue;
        const struct tk_cell row[COLUMNS] = {tk_cell_of_uint(number),   tk_cell_of_text(s->name),
                                             tk_cell_of_uint(s->count), mean_cell(run, s),
                                             tk_cell_of_real(s->first), tk_cell_of_real(s->last),
                                             tk_cell_of_real(s->low),   tk_cell_of_real(s->high)};
        rc = tk_sink_row(sink, table, row, err);
    }
    return rc;
}

static int rows_counters(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,
                         const struct tk_sink *sink, struct tk_err *err)
{
    return rows_of_values(TK_SERIES_COUNTER, run, number, table, sink, err);
}

static int rows_memory(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,
                       const struct tk_sink *sink, struct tk_err *err)
{
    return rows_of_values(TK_SERIES_MEMORY, run, number, table, sink, err);
}

const struct tk_listing tk_listing_counters = {
    .table = {.name = "counters",
              .help = "values of counters, by run",
              .columns = columns_list_values,
              .n_columns = COLUMNS},
    .rows = rows_counters,
};

const struct tk_listing tk_listing_memory = {
    .table = {.name = "memory",
              .help = "bytes of memory tags, by run",
              .columns = columns_list_values,
              .n_columns = COLUMNS},
    .rows = rows_memory,
};
