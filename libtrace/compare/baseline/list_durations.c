/*
 * Table `durations` of a baseline: how often calls of a timer took how long. Sums of it over any runs have
 * the percentiles of all their calls, which percentiles of single runs do not have.
 */
#include "compare/baseline/call_walk.h"
#include "compare/baseline/listing.h"
#include "compare/baseline/span_cell.h"
#include "table/cell.h"
#include "table/sink.h"

enum { RUN, CLASS, TIMER, DURATION, COUNT, COLUMNS };

static const struct tk_column columns_list_durations[COLUMNS] = {
    [RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [CLASS] = {"class", TK_TEXT, 0, NULL, "class of threads"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration of a call (to 0.8 %; exact for few calls)"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "number of calls with this duration"},
};

struct sending {
    const struct tk_base_run *run;
    const struct tk_table *table;
    const struct tk_sink *sink;
    struct tk_cell row[COLUMNS];
};

static int send_row(struct sending *s, uint64_t cycles, uint64_t count, struct tk_err *err)
{
    s->row[DURATION] = tk_listing_span(s->run, cycles);
    s->row[COUNT] = tk_cell_of_uint(count);
    return tk_sink_row(s->sink, s->table, s->row, err);
}

static int send_exact(struct sending *s, const struct tk_series *series, struct tk_err *err)
{
    uint64_t room[TK_SERIES_EXACT];
    const uint64_t *calls = tk_series_exact(series, room);
    int rc = TK_OK;
    for (uint64_t i = 0, next; i < series->count && rc >= 0; i = next) {
        for (next = i + 1; next < series->count && calls[next] == calls[i];)
            next++;
        rc = send_row(s, calls[i], next - i, err);
    }
    return rc;
}

static int send_sketch(struct sending *s, const struct tk_series *series, struct tk_err *err)
{
    struct tk_call_walk walk = tk_call_walk_of(series);
    uint32_t bucket;
    uint64_t count;
    int rc = TK_OK;
    while (rc >= 0 && tk_call_walk_next(&walk, &bucket, &count))
        rc = send_row(s, tk_sketch_value(TK_SKETCH_CALLS, bucket), count, err);
    return rc;
}

static int rows_durations(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,
                          const struct tk_sink *sink, struct tk_err *err)
{
    struct sending s = {.run = run, .table = table, .sink = sink};
    int rc = TK_OK;
    s.row[RUN] = tk_cell_of_uint(number);
    for (size_t i = 0; i < run->series.n && rc >= 0; i++) {
        const struct tk_series *series = run->series.v[i];
        if (series->kind != TK_SERIES_TIMER)
            continue;
        s.row[CLASS] = tk_cell_of_text(series->group->n ? series->group : NULL);
        s.row[TIMER] = tk_cell_of_text(series->name);
        rc = tk_series_is_exact(series) ? send_exact(&s, series, err) : send_sketch(&s, series, err);
    }
    return rc;
}

const struct tk_listing tk_listing_durations = {
    .table = {.name = "durations",
              .help = "distribution of the durations of calls, by run and thread class",
              .columns = columns_list_durations,
              .n_columns = COLUMNS},
    .rows = rows_durations,
};
