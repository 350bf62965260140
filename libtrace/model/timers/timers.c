/*
 * Tables `timers` (where the time went; a row a timer, or a row a timer and thread) and `gpu` (the same for
 * GPUs; a row a timer and queue).
 *
 * Slices go to sets of sums (timer_sums.h), one a worker, or one a lane where rows
 * are by thread or queue; when all is read they are merged and become rows. The rules are those of inclusive
 * and exclusive time (events 2.7).
 */
#include "model/sums/frame_sums.h"
#include "model/timers/timers_in.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * Columns of the tables `timers` and `gpu`.
 */

/* Columns of both tables. */
#define TIMER_COLUMNS                                                                                        \
    [TK_TIMERS_TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},                                                 \
    [TK_TIMERS_KIND] = {"kind", TK_TEXT, TK_COL_OPTIONAL, NULL,                                              \
                        "spec, metadata, scoped_event, coroutine, zone; gpu, gpu_work or gpu_wait"},         \
    [TK_TIMERS_FILE_NAME] = {"file", TK_TEXT, TK_COL_OPTIONAL, NULL, "source file"},                         \
    [TK_TIMERS_LINE] = {"line", TK_UINT, TK_COL_OPTIONAL, NULL, "line in it"},                               \
    [TK_TIMERS_SOURCES] = {"sources", TK_UINT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL,                       \
                           "places of the sources that the timer has calls from; empty for one"},            \
    [TK_TIMERS_PLACES] = {"places", TK_TEXT, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL,                         \
                          "of several places the one with the most exclusive time, with its share; "         \
                          "file and line are those of it"},                                                  \
    [TK_TIMERS_COUNT] = {"count", TK_UINT, 0, "calls", "complete scopes"},                                   \
    [TK_TIMERS_OPEN] = {"open", TK_UINT, 0, "calls",                                                         \
                        "scopes without an end, which no other column includes"},                            \
    [TK_TIMERS_INCL] =                                                                                       \
        {"incl", TK_DURATION, 0, NULL,                                                                       \
         "inclusive time; recursive calls are not counted twice (empty if only recursive calls ended)"},     \
    [TK_TIMERS_TOTAL] = {"total", TK_DURATION, TK_COL_OPTIONAL, NULL,                                        \
                         "sum of the durations of all calls, recursive ones included"},                      \
    [TK_TIMERS_EXCL] = {"excl", TK_DURATION, 0, NULL, "exclusive time: without the scopes inside"},          \
    [TK_TIMERS_WORKING] = {"working", TK_DURATION, TK_COL_EXTRA | TK_COL_HUMAN_ONLY, NULL,                   \
                           "exclusive time; empty for timers that wait, by name (schemas/work.txt)"},        \
    [TK_TIMERS_SHARE] = {"share", TK_REAL, TK_COL_EXTRA | TK_COL_PART, NULL,                                 \
                         "share of the exclusive time of all timers, 0 to 1"},                               \
    [TK_TIMERS_MIN] = {"min", TK_DURATION, TK_COL_OPTIONAL, NULL, "shortest call"},                          \
    [TK_TIMERS_MAX] = {"max", TK_DURATION, 0, NULL, "longest call"},                                         \
    [TK_TIMERS_MEAN] = {"mean", TK_MEAN, TK_COL_OPTIONAL, NULL, "mean duration of a call"},                  \
    [TK_TIMERS_MEDIAN] = {"median", TK_DURATION, 0, NULL, "median duration of a call (to 0.8 %)"},           \
    [TK_TIMERS_P50] = {"p50", TK_DURATION, TK_COL_EXTRA, NULL, "same as median"},                            \
    [TK_TIMERS_P90] = {"p90", TK_DURATION, TK_COL_EXTRA, NULL,                                               \
                       "90th percentile of the durations (to 0.8 %)"},                                       \
    [TK_TIMERS_P95] = {"p95", TK_DURATION, 0, NULL, "95th percentile of the durations (to 0.8 %)"},          \
    [TK_TIMERS_P99] = {"p99", TK_DURATION, 0, NULL, "99th percentile of the durations (to 0.8 %)"},          \
    [TK_TIMERS_P999] = {"p999", TK_DURATION, TK_COL_EXTRA, NULL,                                             \
                        "99.9th percentile of the durations (to 0.8 %)"},                                    \
    [TK_TIMERS_MODE] = {"mode", TK_DURATION, TK_COL_EXTRA, NULL,                                             \
                        "most frequent duration of a call (to 0.8 %)"},                                      \
    [TK_TIMERS_STDDEV] = {"stddev", TK_MEAN, TK_COL_EXTRA, NULL, "standard deviation of the durations"},     \
    [TK_TIMERS_FRAME_MEAN] = {"frame_mean", TK_MEAN, TK_COL_EXTRA, NULL,                                     \
                              "mean of incl per complete game frame"},                                       \
    [TK_TIMERS_FRAME_P95] = {"frame_p95", TK_DURATION, TK_COL_EXTRA, NULL,                                   \
                             "95th percentile of incl per complete game frame (to 0.4 %)"}

static const struct tk_column columns[TK_TIMERS_COLUMNS] = {
    [TK_TIMERS_THREAD_ID] = {"thread_id", TK_UINT, TK_COL_GROUP, NULL, "id of the thread in the capture"},
    [TK_TIMERS_THREAD] = {"thread", TK_TEXT, TK_COL_GROUP, NULL, "name of the thread"},
    TIMER_COLUMNS,
    [TK_TIMERS_MORE] = TK_THREAD_MORE_AS(TK_COL_GROUP),
};

static const struct tk_column gpu_columns[TK_TIMERS_GPU_COLUMNS] = {
    [TK_TIMERS_THREAD_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue in the capture"},
    [TK_TIMERS_THREAD] = {"queue", TK_TEXT, 0, NULL, "name of the GPU queue"},
    TIMER_COLUMNS,
};

const struct tk_table tk_timers_table = {
    .name = "timers",
    .help = "timers: calls and times of scopes",
    .columns = columns,
    .n_columns = TK_TIMERS_COLUMNS,
    .schema = 2,
    .flags = TK_TABLE_TIMES,
    .sort_by = "working",
};

const struct tk_table tk_timers_gpu_table = {
    .name = "gpu",
    .help = "timers of GPU queues: calls and times of their scopes, and of all work and waiting",
    .columns = gpu_columns,
    .n_columns = TK_TIMERS_GPU_COLUMNS,
    .schema = 2,
    .sort_by = "incl",
};

static unsigned what_for(uint64_t wanted)
{
    unsigned what = 0;
    if (wanted & (TK_TIMERS_BIT(TK_TIMERS_INCL) | TK_TIMERS_FRAME_COLUMNS))
        what |= TK_TIMER_SUM_INCL;
    if (wanted & TK_TIMERS_CALL_SKETCH)
        what |= TK_TIMER_SUM_SKETCH;
    if (wanted & TK_TIMERS_BIT(TK_TIMERS_STDDEV))
        what |= TK_TIMER_SUM_SQUARES;
    if (wanted & TK_TIMERS_FRAME_COLUMNS)
        what |= TK_TIMER_SUM_FRAMES;
    if (wanted & TK_TIMERS_PLACE_COLUMNS)
        what |= TK_TIMER_SUM_SOURCES;
    return what;
}

static void add_needs(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    const unsigned what = what_for(wanted);
    (void)view;
    needs->waits = wanted & TK_TIMERS_BIT(TK_TIMERS_WORKING);
    if (what & TK_TIMER_SUM_INCL)
        needs->slices |= TK_SLICE_OUTER;
    if (what & TK_TIMER_SUM_FRAMES) {
        needs->slices |= TK_SLICE_FRAME;
        needs->lists.frames |= TK_NEEDS_GAME_FRAMES;
    }
}

static void add_needs_timers(const struct tk_query_context *view, uint64_t wanted, struct tk_needs *needs)
{
    const struct tk_selection *select = &view->query->select;
    add_needs(view, wanted, needs);
    if (select->n_timers || select->n_threads)
        needs->facts |= TK_FACT_MASK(GPU_SCOPES);
}

/* Those of GPU queues are in the table `gpu`, and here where somebody requests them by name. */
/* ---- reading ---- */

static struct tk_timer_sum_set *set_at(struct tk_timers *t, size_t i)
{
    bool fresh;
    struct tk_timer_sum_set *set = tk_timer_sum_sets_at(&t->sets, i, &fresh);
    if (fresh) {
        set->what = t->what;
        set->window = &t->frames.window;
    }
    return set;
}

static void close_timers(void *self)
{
    struct tk_timers *t = self;
    tk_timer_sum_sets_release(&t->sets);
    tk_vec_release(&t->threads);
    tk_vec_release(&t->kinds);
    tk_vec_release(&t->members);
    tk_intern_release(&t->texts);
    tk_work_rules_release(&t->work);
    free(t);
}

static int open_timers(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                       void **self, struct tk_err *err)
{
    struct tk_timers *t = calloc(1, sizeof *t);
    if (!t)
        return tk_err_nomem(err, "timers");
    t->view = view;
    t->columns = wanted;
    t->what = what_for(wanted);
    struct tk_needs needs = builder->needs;
    builder->add_needs(view, wanted, &needs);
    t->facts = needs.facts;
    t->by_thread = view->query->by & TK_BY_THREAD || builder->needs.facts == TK_FACT_MASK(GPU_SCOPES);
    t->what |= t->by_thread ? TK_TIMER_SUM_THIN : 0;
    if (t->what & TK_TIMER_SUM_FRAMES)
        tk_frame_sums_init(&t->frames, view, t->by_thread);
    *self = t;
    unsigned jobs = t->by_thread ? 0 : tk_pool_jobs(view->ctx->pool);
    for (unsigned i = 0; i < jobs; i++)
        if (!set_at(t, i))
            return tk_err_nomem(err, "timers");
    return wanted & TK_TIMERS_BIT(TK_TIMERS_WORKING) ? tk_work_rules_read(&t->work, view, err) : TK_OK;
}

/* Sets of lanes are made here, as take is called by several workers. */
static int feed_timers(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_timers *t = self;
    (void)emit;
    for (size_t i = 0; t->by_thread && i < batch->n_runs; i++)
        if (tk_lane_fact(batch->runs[i].kind) & t->facts && !set_at(t, batch->runs[i].lane))
            return tk_err_nomem(err, "timers");
    if ((t->what & TK_TIMER_SUM_FRAMES) && tk_frame_sums_advance(&t->frames, t->sets.list.v, t->sets.list.n))
        return tk_err_nomem(err, "sums of frames");
    return TK_OK;
}

static int take_timers(void *self, const struct tk_slices *s, unsigned worker)
{
    struct tk_timers *t = self;
    return tk_timer_sum_take(t->sets.list.v[t->by_thread ? s->lane : worker], s) ? TK_ENOMEM : TK_OK;
}

static int count_open(struct tk_timers *t, struct tk_timer_sum_set *set,
                      const struct tk_open_scope *open_scopes, size_t n)
{
    struct tk_timer_sum_entry e;
    for (size_t i = 0; i < n; i++) {
        if (!tk_select_touches(t->view->select, open_scopes[i].begin, INT64_MAX))
            continue;
        if (tk_timer_sum_find(set, open_scopes[i].timer, &e))
            return -1;
        e.side->open++;
    }
    return 0;
}

static int lane_timers(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct tk_timers *t = self;
    if (!(tk_lane_fact(end->kind) & t->facts))
        return TK_OK;
    struct tk_timer_sum_set *set = set_at(t, t->by_thread ? end->lane : 0);
    if (!set || count_open(t, set, end->open, end->n_open) || count_open(t, set, end->lost, end->n_lost))
        return tk_err_nomem(err, "timers");
    if (!t->by_thread)
        return TK_OK;
    if (tk_vec_reserve(&t->threads, (size_t)end->lane + 1) || tk_vec_reach(&t->kinds, (size_t)end->lane + 1))
        return tk_err_nomem(err, "timers");
    while (t->threads.n <= end->lane)
        t->threads.v[t->threads.n++] = TK_NO_THREAD;
    t->threads.v[end->lane] = end->thread;
    t->kinds.v[end->lane] = end->kind;
    return TK_OK;
}

/* ---- merging ---- */

static int merge_entry(struct tk_timers *t, struct tk_timer_sum_set *into, uint32_t timer,
                       struct tk_timer_sum_entry *from)
{
    struct tk_timer_sum_entry to;
    if (tk_timer_sum_find(into, timer, &to) || tk_timer_sum_merge_cell(into, to.cell, from->cell))
        return -1;
    to.side->open += from->side->open;
    tk_timer_sum_merge_squares(to.side->squares, from->side->squares);
    if (!from->side->frames)
        return 0;
    struct tk_frame_row *row = tk_frame_row_of(to.side, t->frames.window.size);
    return row ? tk_frame_row_merge(row, from->side->frames) : -1;
}

/* Gives what late timers have to the timers that they are, and what timers have to the first of their key. */
static int settle(struct tk_timers *t, struct tk_timer_sum_set *set)
{
    struct tk_dict *dict = t->view->dict;
    const bool by_source = t->view->query->by & TK_BY_SOURCE, sources = tk_timer_places_wanted(t);
    struct tk_timer_sum_entry e;
    if (sources && tk_timer_sum_begin_sources(set))
        return -1;
    for (size_t at = 0; tk_timer_sum_next(set, &at, &e);) {
        const uint32_t timer = tk_dict_summed(dict, e.timer, by_source);
        if (timer == e.timer)
            continue;
        if (timer == TK_MAP_NONE || merge_entry(t, set, timer, &e))
            return -1;
        if (e.timer >= TK_LATE && sources &&
            tk_timer_sum_source(set, tk_dict_summed(dict, e.timer, true), e.cell->count, e.cell->excl))
            return -1;
        e.cell->count = e.side->open = 0;
        e.cell->excl = 0;
    }
    return 0;
}

static int merge_workers(struct tk_timers *t)
{
    struct tk_timer_sum_entry e;
    for (size_t i = 1; i < t->sets.list.n; i++) {
        if (tk_timer_sum_merge_sources(t->sets.list.v[0], t->sets.list.v[i]))
            return -1;
        for (size_t at = 0; tk_timer_sum_next(t->sets.list.v[i], &at, &e);)
            if (merge_entry(t, t->sets.list.v[0], e.timer, &e))
                return -1;
        tk_timer_sum_release(t->sets.list.v[i]);
    }
    return 0;
}

/* A thread whose scopes overlap has several lanes, and one row a timer. */
static int merge_lanes(struct tk_timers *t)
{
    struct tk_map first = {0}; /* thread and kind -> lane */
    struct tk_timer_sum_entry e;
    int rc = 0;
    for (size_t i = 0; i < t->sets.list.n && i < t->threads.n && rc == 0; i++) {
        const uint64_t key = (uint64_t)t->kinds.v[i] << 32 | t->threads.v[i];
        const uint32_t at = t->sets.list.v[i] ? tk_map_get(&first, key) : 0;
        if (!t->sets.list.v[i] || at == TK_MAP_NONE) {
            rc = t->sets.list.v[i] ? tk_map_put(&first, key, (uint32_t)i) : 0;
            continue;
        }
        for (size_t k = 0; rc == 0 && tk_timer_sum_next(t->sets.list.v[i], &k, &e);)
            rc = merge_entry(t, t->sets.list.v[at], e.timer, &e);
        rc = rc || tk_timer_sum_merge_sources(t->sets.list.v[at], t->sets.list.v[i]) ? -1 : 0;
        tk_timer_sum_release(t->sets.list.v[i]);
    }
    tk_map_release(&first);
    return rc;
}

static int merge_timers(struct tk_timers *t)
{
    if ((t->what & TK_TIMER_SUM_FRAMES) && tk_frame_sums_finish(&t->frames, t->sets.list.v, t->sets.list.n))
        return -1;
    if (t->by_thread ? merge_lanes(t) : merge_workers(t))
        return -1;
    for (size_t i = 0; i < (t->by_thread ? t->sets.list.n : 1); i++)
        if (t->sets.list.v[i] && settle(t, t->sets.list.v[i]))
            return -1;
    return tk_timer_places_order(t);
}

static int finish_timers(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_timers *t = self;
    if (merge_timers(t))
        return tk_err_nomem(err, "timers");
    if (t->frames.late)
        tk_health_note(
            &t->view->ctx->health, TK_HEALTH_FRAME_LATE, TK_NO_OFFSET, t->frames.late,
            "%" PRIu64
            " times scopes came after the sums of their frame were closed; frame_p95 excludes them",
            t->frames.late);
    return tk_timer_rows_send(t, emit, err);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_timers, .lane = lane_timers};

const struct tk_builder tk_builder_timers = {
    .table = &tk_timers_table,
    .needs = {.facts = TK_FACT_MASK(SCOPES), .sums = true},
    .scopes = &scope_hooks,
    .add_needs = add_needs_timers,
    .open = open_timers,
    .feed = feed_timers,
    .finish = finish_timers,
    .close = close_timers,
};

const struct tk_builder tk_builder_gpu = {
    .table = &tk_timers_gpu_table,
    .needs = {.facts = TK_FACT_MASK(GPU_SCOPES), .order = TK_NEEDS_SEQ_ORDER},
    .scopes = &scope_hooks,
    .add_needs = add_needs,
    .open = open_timers,
    .feed = feed_timers,
    .finish = finish_timers,
    .close = close_timers,
};
