/*
 * View: short ways for tables to make cells in the unit and with the names of a run.
 */
#ifndef TK_QUERY_CONTEXT_CELLS_H
#define TK_QUERY_CONTEXT_CELLS_H

#include "base/health/health.h"
#include "base/health/row_limit.h"
#include "query/builder.h"
#include "query/context.h"
#include "table/cell.h"
#include "table/thread_columns.h"
#include "table/value_summary.h"

/* tk_builder.open of tables that live from dictionary and context alone: the view is all the state they have.
 */
static inline int tk_query_context_open(const struct tk_query_context *view, const struct tk_builder *builder,
                                        uint64_t wanted, void **self, struct tk_err *err)
{
    (void)builder;
    (void)wanted;
    (void)err;
    *self = (void *)(uintptr_t)view;
    return TK_OK;
}

/* Space for the rows of a table (static text). */
static inline struct tk_row_limit tk_query_context_row_limit(const struct tk_query_context *view,
                                                             const char *table)
{
    return (struct tk_row_limit){
        .health = &view->ctx->health, .rows = view->ctx->limits.rows, .table = table};
}

/* Says that a time or a length is beyond what 64 bits hold, and is displayed as the most that they do. */
static inline int64_t tk_query_context_held(const struct tk_query_context *view, int64_t ns)
{
    if (ns == INT64_MAX || ns == INT64_MIN)
        tk_health_note(&view->ctx->health, TK_HEALTH_TIME_BEYOND, TK_NO_OFFSET, 1,
                       "times and durations beyond 292 years are shown as 292 years");
    return ns;
}

/* A point in time, given in cycles since the start. In cycles from 2^63 on it is of kind TK_UINT. */
static inline struct tk_cell tk_query_context_time(const struct tk_query_context *view, int64_t cycles)
{
    const struct tk_fact_clock *clock = &view->dict->clock;
    const int64_t time = tk_clock_time(clock, view->query->unit, cycles);
    if (view->query->unit != TK_UNIT_CYCLES)
        return tk_cell_of_time(tk_query_context_held(view, time));
    const bool before = cycles < 0 && (0 - (uint64_t)cycles - 1) / tk_fact_clock_parts(clock) >= clock->start;
    return time < 0 && !before ? tk_cell_of_uint((uint64_t)time) : tk_cell_of_time(time);
}

/* A sum of cycles. */
static inline struct tk_cell tk_query_context_span(const struct tk_query_context *view, int64_t cycles)
{
    return tk_cell_of_span(tk_clock_span(&view->dict->clock, view->query->unit, cycles));
}

/* The time between two points, as the difference of what is displayed for them. In cycles from 2^63 on it is
 * of kind TK_UINT. */
static inline struct tk_cell tk_query_context_between(const struct tk_query_context *view, int64_t begin,
                                                      int64_t end)
{
    const uint64_t cycles = (uint64_t)end - (uint64_t)begin;
    if (view->query->unit != TK_UNIT_CYCLES)
        return tk_cell_of_span(
            tk_query_context_held(view, tk_clock_between(&view->dict->clock, TK_UNIT_NS, begin, end)));
    if (end > begin && cycles > INT64_MAX)
        return tk_cell_of_uint(cycles / tk_fact_clock_parts(&view->dict->clock));
    return tk_cell_of_span(tk_clock_between(&view->dict->clock, TK_UNIT_CYCLES, begin, end));
}

/* A length that is no whole number of cycles. */
static inline struct tk_cell tk_query_context_real_span(const struct tk_query_context *view, double cycles)
{
    const struct tk_fact_clock *clock = &view->dict->clock;
    const bool as_is = view->query->unit == TK_UNIT_CYCLES || !clock->frequency;
    return tk_cell_of_mean(as_is ? cycles / tk_fact_clock_parts(clock)
                                 : cycles * 1e9 / (double)clock->frequency);
}

/* Id and displayed name of a thread; no value for TK_NO_THREAD. */
static inline struct tk_cell tk_query_context_thread_id(uint32_t thread)
{
    return thread == TK_NO_THREAD ? (struct tk_cell){.kind = TK_NONE} : tk_cell_of_uint(thread);
}

static inline struct tk_cell tk_query_context_thread(const struct tk_query_context *view, uint32_t thread)
{
    return tk_cell_of_text(tk_dict_thread_name(view->dict, thread));
}

/* The same of a lane that may be one of a GPU queue, which has no id among threads. */
static inline struct tk_cell tk_query_context_lane_id(uint8_t kind, uint32_t id)
{
    return tk_query_context_thread_id(kind == TK_LANE_THREAD ? id : TK_NO_THREAD);
}

static inline struct tk_cell tk_query_context_lane(const struct tk_query_context *view, uint8_t kind,
                                                   uint32_t id)
{
    return tk_cell_of_text(tk_dict_lane_name(view->dict, kind, id));
}

/* What is said of a lane behind its name, in TK_THREAD_MORE cells (table/thread_columns.h), which stay empty
 * for TK_NO_THREAD. */
void tk_lane_more_put(const struct tk_query_context *view, uint8_t kind, uint32_t id, struct tk_cell *cells);

/* The name and what is said behind it, in TK_THREAD_COLUMNS cells. */
static inline void tk_lane_put(const struct tk_query_context *view, uint8_t kind, uint32_t id,
                               struct tk_cell *cells)
{
    cells[TK_THREAD_NAME] = tk_query_context_lane(view, kind, id);
    tk_lane_more_put(view, kind, id, cells + TK_THREAD_NAME + 1);
}

/* The same of a thread. */
static inline void tk_thread_more_put(const struct tk_query_context *view, uint32_t thread,
                                      struct tk_cell *cells)
{
    tk_lane_more_put(view, TK_LANE_THREAD, thread, cells);
}

static inline void tk_thread_put(const struct tk_query_context *view, uint32_t thread, struct tk_cell *cells)
{
    tk_lane_put(view, TK_LANE_THREAD, thread, cells);
}

/* Key and name of a GPU queue in two cells; they stay as they are where it is not known. */
static inline void tk_query_context_queue(const struct tk_query_context *view, uint32_t id,
                                          struct tk_cell cells[2])
{
    const struct tk_fact_gpu_queue *queue = tk_dict_queue(view->dict, id);
    if (!queue)
        return;
    cells[0] = tk_cell_of_uint(queue->key);
    cells[1] = tk_cell_of_text(queue->name);
}

/*
 * Distribution cells: the columns of a distribution (table/value_summary.h), and what stands in them. A table
 * describes the columns in one line and fills them with one call; its enum keeps places for them:
 *
 *     enum { NAME, COUNT, LENGTHS, FIRST = LENGTHS + TK_DISTRIBUTION_COLUMNS, COLUMNS };
 */

/* The columns, from that of the least value on. */
enum {
    TK_DISTRIBUTION_MIN,
    TK_DISTRIBUTION_MAX,
    TK_DISTRIBUTION_MEAN,
    TK_DISTRIBUTION_MEDIAN,
    TK_DISTRIBUTION_P95,
    TK_DISTRIBUTION_P99,
    TK_DISTRIBUTION_COLUMNS
};

/* A set of them, by the last words of their names: TK_DISTRIBUTION_BIT(MAX). */
#define TK_DISTRIBUTION_BIT(name) (1u << TK_DISTRIBUTION_##name)
#define TK_DISTRIBUTION_ALL       ((1u << TK_DISTRIBUTION_COLUMNS) - 1)

#define TK_DISTRIBUTION_FLAGS(extra, name) ((extra)&TK_DISTRIBUTION_BIT(name) ? TK_COL_EXTRA : 0)

/*
 * Descriptions of the columns for an array of struct tk_column, the first at place `at`. Their names begin
 * with `prefix`; those of the set `extra` are TK_COL_EXTRA. The texts: three of their own, and what
 * "median of" and "95th percentile of" are followed by.
 */
#define TK_DISTRIBUTION_COLUMNS_AS(kind, mean_kind, unit, at, prefix, extra, least, greatest, mean, of)      \
    [(at) + TK_DISTRIBUTION_MIN] = {prefix "min", kind, TK_DISTRIBUTION_FLAGS(extra, MIN), unit, least},     \
            [(at) + TK_DISTRIBUTION_MAX] = {prefix "max", kind, TK_DISTRIBUTION_FLAGS(extra, MAX), unit,     \
                                            greatest},                                                       \
            [(at) + TK_DISTRIBUTION_MEAN] = {prefix "mean", mean_kind, TK_DISTRIBUTION_FLAGS(extra, MEAN),   \
                                             unit, mean},                                                    \
            [(at) + TK_DISTRIBUTION_MEDIAN] = {prefix "median", kind, TK_DISTRIBUTION_FLAGS(extra, MEDIAN),  \
                                               unit, "median of " of},                                       \
            [(at) + TK_DISTRIBUTION_P95] = {prefix "p95", kind, TK_DISTRIBUTION_FLAGS(extra, P95), unit,     \
                                            "95th percentile of " of},                                       \
            [(at) + TK_DISTRIBUTION_P99] = {prefix "p99", kind, TK_DISTRIBUTION_FLAGS(extra, P99), unit,     \
                                            "99th percentile of " of}

/* Of lengths of time. */
#define TK_DISTRIBUTION_LENGTHS(...) TK_DISTRIBUTION_COLUMNS_AS(TK_DURATION, TK_MEAN, NULL, __VA_ARGS__)

/* Of numbers with a unit, which may be NULL. */
#define TK_DISTRIBUTION_NUMBERS(unit, ...) TK_DISTRIBUTION_COLUMNS_AS(TK_UINT, TK_REAL, unit, __VA_ARGS__)

/* Puts a distribution into its cells: of kind TK_DURATION what is in cycles, in the unit of the query; of
 * kind TK_UINT numbers. Without values the cells stay as they are. */
void tk_distribution_put(const struct tk_query_context *view, enum tk_kind kind,
                         const struct tk_distribution *d, struct tk_cell cells[TK_DISTRIBUTION_COLUMNS]);

#endif
