/*
 * Tables `timers`, `gpu`, `loading` and `log` of a baseline: calls by timer and class of threads.
 */
#include "compare/baseline/call_walk.h"
#include "compare/baseline/listing.h"
#include "compare/baseline/span_cell.h"
#include "fact/fact.h"
#include "table/cell.h"
#include "table/sink.h"

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
    uint64_t room[TK_SERIES_EXACT];
    if (tk_series_is_exact(s) && rank && rank <= s->count)
        return tk_series_exact(s, room)[rank - 1];
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
    for (int i = 0; i < 4 && tk_series_tells_calls(s); i++)
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

#define LISTING(lower, upper, columns_shown, says)                                                           \
    static int rows_##lower(const struct tk_base_run *run, uint64_t number, const struct tk_table *table,    \
                            const struct tk_sink *sink, struct tk_err *err)                                  \
    {                                                                                                        \
        return rows_of_kind(TK_SERIES_##upper, run, number, table, sink, err);                               \
    }                                                                                                        \
    const struct tk_listing tk_listing_##lower = {                                                           \
        .table = {.name = #lower,                                                                            \
                  .help = (says),                                                                            \
                  .columns = columns_list_calls,                                                             \
                  .n_columns = (columns_shown),                                                              \
                  .sort_by = (columns_shown) > FEW ? "excl" : NULL},                                         \
        .rows = rows_##lower}

LISTING(gpu, GPU, COLUMNS, "calls and times of passes of the GPU, by run and queue");
LISTING(loading, LOADING, FEW, "loading times, by run and operation");
LISTING(log, LOG, COUNT + 1, "log messages that are errors, by run and category");
LISTING(timers, TIMER, COLUMNS, "calls and times of scopes, by run and thread class");
