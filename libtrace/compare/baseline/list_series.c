/*
 * Tables `timers`, `gpu`, `loading` and `log` of a baseline: calls by timer and class of threads.
 */
#include "compare/baseline/baseline_in.h"
#include "compare/baseline/block_walk.h"
#include "compare/baseline/listing.h"
#include "fact/fact.h"
#include "judge/metric_words.h"
#include "table/cell.h"
#include "table/sink.h"

/*
 * Table `durations` of a baseline: how often calls of a timer took how long. Sums of it over any runs have
 * the percentiles of all their calls, which percentiles of single runs do not have.
 */

enum {
    LIST_DURATIONS_RUN,
    LIST_DURATIONS_CLASS,
    LIST_DURATIONS_TIMER,
    DURATION,
    LIST_DURATIONS_COUNT,
    LIST_DURATIONS_COLUMNS
};

static const struct tk_column columns_list_durations[LIST_DURATIONS_COLUMNS] = {
    [LIST_DURATIONS_RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [LIST_DURATIONS_CLASS] = {"class", TK_TEXT, 0, NULL, "class of threads"},
    [LIST_DURATIONS_TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration of a call (to 0.8 %; exact for few calls)"},
    [LIST_DURATIONS_COUNT] = {"count", TK_UINT, 0, "calls", "number of calls with this duration"},
};

struct sending {
    const struct tk_base_run *run;
    const struct tk_table *table;
    const struct tk_sink *sink;
    struct tk_cell row[LIST_DURATIONS_COLUMNS];
};

static int send_row(struct sending *s, uint64_t cycles, uint64_t count, struct tk_err *err)
{
    s->row[DURATION] = tk_listing_span(s->run, cycles);
    s->row[LIST_DURATIONS_COUNT] = tk_cell_of_uint(count);
    return tk_sink_row(s->sink, s->table, s->row, err);
}

static int send_exact(struct sending *s, const struct tk_series *series, struct tk_err *err)
{
    uint64_t buffer[TK_SERIES_EXACT];
    const uint64_t *calls = tk_series_exact(series, buffer);
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
    s.row[LIST_DURATIONS_RUN] = tk_cell_of_uint(number);
    for (size_t i = 0; i < run->series.n && rc >= 0; i++) {
        const struct tk_series *series = run->series.v[i];
        if (series->kind != TK_SERIES_TIMER)
            continue;
        s.row[LIST_DURATIONS_CLASS] = tk_cell_of_text(series->group->n ? series->group : NULL);
        s.row[LIST_DURATIONS_TIMER] = tk_cell_of_text(series->name);
        rc = tk_series_is_exact(series) ? send_exact(&s, series, err) : send_sketch(&s, series, err);
    }
    return rc;
}

const struct tk_listing tk_listing_durations = {
    .table = {.name = "durations",
              .help = "distribution of the durations of calls, by run and thread class",
              .columns = columns_list_durations,
              .n_columns = LIST_DURATIONS_COLUMNS},
    .rows = rows_durations,
};

/*
 * Tables `counters` and `memory` of a baseline: what values of a run come to.
 */

enum {
    LIST_VALUES_RUN,
    NAME,
    LIST_VALUES_COUNT,
    LIST_VALUES_MEAN,
    FIRST,
    LAST,
    LOW,
    HIGH,
    LIST_VALUES_COLUMNS
};

static const struct tk_column columns_list_values[LIST_VALUES_COLUMNS] = {
    [LIST_VALUES_RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [NAME] = {"name", TK_TEXT, 0, NULL, "of the counter or memory tag"},
    [LIST_VALUES_COUNT] = {"count", TK_UINT, 0, NULL, "values, or allocations"},
    [LIST_VALUES_MEAN] = {"mean", TK_REAL, 0, NULL, "mean of the values in game frames"},
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
        const struct tk_cell row[LIST_VALUES_COLUMNS] = {tk_cell_of_uint(number),   tk_cell_of_text(s->name),
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
              .n_columns = LIST_VALUES_COLUMNS},
    .rows = rows_counters,
};

const struct tk_listing tk_listing_memory = {
    .table = {.name = "memory",
              .help = "bytes of memory tags, by run",
              .columns = columns_list_values,
              .n_columns = LIST_VALUES_COLUMNS},
    .rows = rows_memory,
};

enum {
    RUN,
    CLASS,
    TIMER,
    KIND,
    SOURCE,
    LINE,
    COUNT,
    INCL,
    TOTAL,
    EXCL,
    MIN,
    MAX,
    MEAN,
    P50,
    P90,
    P95,
    P99,
    COLUMNS
};

/* The first columns are what other series have, too. */
#define FEW (EXCL + 1)

static const struct tk_column columns_list_calls[COLUMNS] = {
    [RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [CLASS] = {"class", TK_TEXT, 0, NULL, "thread class, queue, category or operation"},
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},
    [KIND] = {"kind", TK_TEXT, TK_COL_EXTRA, NULL, "spec, metadata, scoped_event, coroutine, zone"},
    [SOURCE] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file"},
    [LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line in it"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "calls"},
    [INCL] = {"incl", TK_DURATION, 0, NULL, "time inside, calls inside a call of the same timer left out"},
    [TOTAL] = {"total", TK_DURATION, 0, NULL, "sum of the durations of all calls, recursive ones included"},
    [EXCL] = {"excl", TK_DURATION, 0, NULL, "exclusive time: without the scopes inside"},
    [MIN] = {"min", TK_DURATION, TK_COL_EXTRA, NULL, "shortest call"},
    [MAX] = {"max", TK_DURATION, 0, NULL, "longest call"},
    [MEAN] = {"mean", TK_MEAN, 0, NULL, "mean duration of a call"},
    [P50] = {"median", TK_DURATION, 0, NULL, "median duration of a call (to 0.8 %)"},
    [P90] = {"p90", TK_DURATION, TK_COL_EXTRA, NULL, "90th percentile of the durations (to 0.8 %)"},
    [P95] = {"p95", TK_DURATION, 0, NULL, "95th percentile of the durations (to 0.8 %)"},
    [P99] = {"p99", TK_DURATION, 0, NULL, "99th percentile of the durations (to 0.8 %)"},
};

static uint64_t percentile(const struct tk_series *s, unsigned share)
{
    const uint64_t rank = tk_sketch_rank(s->count, share, 100);
    uint64_t buffer[TK_SERIES_EXACT];
    if (tk_series_is_exact(s) && rank && rank <= s->count)
        return tk_series_exact(s, buffer)[rank - 1];
    const uint64_t v = tk_series_call_ranked(s, rank);
    return v < s->min ? s->min : v > s->max ? s->max : v;
}

/* What is known of single calls; nothing where a run was cut to some of its frames. */
static void fill_calls(struct tk_cell row[COLUMNS], const struct tk_base_run *run, const struct tk_series *s)
{
    static const unsigned shares[] = {50, 90, 95, 99};
    row[MIN] = tk_listing_span(run, s->min);
    row[MAX] = tk_listing_span(run, s->max);
    row[MEAN] = tk_cell_of_mean((double)s->total * 1e9 / (double)run->frequency / (double)s->count);
    for (int i = 0; i < 4 && tk_series_says_calls(s); i++)
        row[P50 + i] = tk_listing_span(run, percentile(s, shares[i]));
}

static struct tk_cell own_cell(const struct tk_base_run *run, int64_t own)
{
    struct tk_cell cell = tk_listing_span(run, own < 0 ? (uint64_t)0 - (uint64_t)own : (uint64_t)own);
    cell.v.i = own < 0 ? -cell.v.i : cell.v.i;
    return cell;
}

static void fill_series(struct tk_cell row[COLUMNS], const struct tk_base_run *run, const struct tk_series *s)
{
    row[CLASS] = tk_cell_of_text(s->group->n ? s->group : NULL);
    row[TIMER] = tk_cell_of_text(s->name);
    row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)s->timer_kind));
    row[SOURCE] = tk_cell_of_text(s->file->n ? s->file : NULL);
    if (s->file->n || s->line)
        row[LINE] = tk_cell_of_uint(s->line);
    row[COUNT] = tk_cell_of_uint(s->count);
    if (tk_series_is_counted(s->kind))
        return;
    row[INCL] = tk_listing_span(run, s->incl);
    row[TOTAL] = tk_listing_span(run, s->total);
    row[EXCL] = own_cell(run, s->own);
    if (tk_series_has_calls(s->kind) && s->count)
        fill_calls(row, run, s);
}

static int rows_of_kind(enum tk_series_kind kind, const struct tk_base_run *run, uint64_t number,
                        const struct tk_table *table, const struct tk_sink *sink, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < run->series.n && rc >= 0; i++) {
        struct tk_cell row[COLUMNS] = {0};
        if (run->series.v[i]->kind != kind)
            continue;
        row[RUN] = tk_cell_of_uint(number);
        fill_series(row, run, run->series.v[i]);
        rc = tk_sink_row(sink, table, row, err);
    }
    return rc;
}

#define LISTING(lower, upper, columns_displayed, says)                                                       \
    static int rows_##lower(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,    \
                            const struct tk_sink *sink, struct tk_err *err)                                  \
    {                                                                                                        \
        return rows_of_kind(TK_SERIES_##upper, run, number, table, sink, err);                               \
    }                                                                                                        \
    const struct tk_listing tk_listing_##lower = {                                                           \
        .table = {.name = #lower,                                                                            \
                  .help = (says),                                                                            \
                  .columns = columns_list_calls,                                                             \
                  .n_columns = (columns_displayed),                                                          \
                  .sort_by = (columns_displayed) > FEW ? "excl" : NULL},                                     \
        .rows = rows_##lower}

LISTING(gpu, GPU, COLUMNS, "calls and times of passes of the GPU, by run and queue");
LISTING(loading, LOADING, FEW, "loading times, by run and operation");
LISTING(log, LOG, COUNT + 1, "log messages that are errors, by run and category");
LISTING(timers, TIMER, COLUMNS, "calls and times of scopes, by run and thread class");

/*
 * Table `metrics` of a baseline: the metrics of the user.
 */

enum {
    LIST_METRICS_RUN,
    LIST_METRICS_NAME,
    LIST_METRICS_UNIT,
    LIST_METRICS_BETTER,
    LIST_METRICS_VALUE,
    LIST_METRICS_STATE,
    LIST_METRICS_SOURCE,
    LIST_METRICS_COLUMNS
};

static const struct tk_column columns_list_metrics[LIST_METRICS_COLUMNS] = {
    [LIST_METRICS_RUN] = {"run", TK_UINT, 0, NULL, "number of the run, from 1"},
    [LIST_METRICS_NAME] = {"name", TK_TEXT, 0, NULL, "name of the metric"},
    [LIST_METRICS_UNIT] = {"unit", TK_TEXT, 0, NULL, "unit of its value"},
    [LIST_METRICS_BETTER] = {"better", TK_TEXT, 0, NULL, "less, more or neither"},
    [LIST_METRICS_VALUE] = {"value", TK_REAL, 0, NULL,
                            "its value, in its unit; empty if the capture gave none"},
    [LIST_METRICS_STATE] = {"state", TK_TEXT, 0, NULL, "measured, or none if the capture gave no value"},
    [LIST_METRICS_SOURCE] = {"source", TK_TEXT, 0, NULL,
                             "what it is made of: sql, counter, timer, region, log or event"},
};

static int rows_metrics(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,
                        const struct tk_sink *sink, struct tk_err *err)
{
    int rc = TK_OK;
    for (size_t i = 0; i < run->metrics.n && rc >= 0; i++) {
        const struct tk_base_metric *m = &run->metrics.v[i];
        struct tk_cell row[LIST_METRICS_COLUMNS] = {{0}};
        row[LIST_METRICS_RUN] = tk_cell_of_uint(number);
        row[LIST_METRICS_NAME] = tk_cell_of_text(m->name);
        row[LIST_METRICS_UNIT] = tk_cell_of_text(m->unit);
        row[LIST_METRICS_BETTER] = tk_cell_of_c(tk_metric_better_name(m->better));
        if (m->measured)
            row[LIST_METRICS_VALUE] = tk_cell_of_real(m->value);
        row[LIST_METRICS_STATE] = tk_cell_of_c(m->measured ? "measured" : "none");
        row[LIST_METRICS_SOURCE] = tk_cell_of_c(tk_metric_source_name(m->source));
        rc = tk_sink_row(sink, table, row, err);
    }
    return rc;
}

const struct tk_listing tk_listing_metrics = {
    .table = {.name = "metrics",
              .help = "metrics of --metric, as the runs were saved with them",
              .columns = columns_list_metrics,
              .n_columns = LIST_METRICS_COLUMNS},
    .rows = rows_metrics,
};
