/*
 * Table `sample_timers`: the timers that samples fell into. The engine reads the moments of all samples
 * beforehand; scopes are laid over them as they end, so that the innermost one gets a sample for its own.
 */
#include "base/sort.h"
#include "model/samples/sample_record.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <stdlib.h>

enum {
    TIMER,
    THREAD_ID,
    THREAD,
    OWN = THREAD + TK_THREAD_COLUMNS,
    OWN_SHARE,
    OWN_TIME,
    INCL,
    INCL_SHARE,
    INCL_TIME,
    KIND,
    FILE_NAME,
    LINE,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name; empty: samples outside all scopes"},
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_GROUP, NULL, "with --by thread: id of the thread"},
    [THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_GROUP, "with --by thread: its name"),
    [OWN] = {"excl", TK_UINT, 0, "samples", "samples in which it was the innermost scope"},
    [OWN_SHARE] = {"excl_share", TK_REAL, TK_COL_PART, NULL,
                   "share of all samples, or of those of the thread, 0 to 1"},
    [OWN_TIME] = {"excl_time", TK_DURATION, TK_COL_OPTIONAL, NULL,
                  "estimated time, from the sampling interval if it is known"},
    [INCL] = {"incl", TK_UINT, 0, "samples", "samples in it or in scopes inside it"},
    [INCL_SHARE] = {"incl_share", TK_REAL, TK_COL_PART, NULL,
                    "share of all samples, or of those of the thread, 0 to 1"},
    [INCL_TIME] = {"incl_time", TK_DURATION, TK_COL_OPTIONAL, NULL, "estimated time"},
    [KIND] = {"kind", TK_TEXT, TK_COL_EXTRA, NULL, "kind of the timer"},
    [FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file"},
    [LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line in it"},
};

static const struct tk_table table = {
    .name = "sample_timers",
    .help = "stack samples by timer: the innermost one, and all enclosing ones",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .sort_by = "excl",
};

struct sum {
    uint64_t own, incl;
    uint32_t timer; /* or NO_TIMER */
    uint32_t thread;
};

/* A thread with scopes: its samples, and what fell into its timers. */
struct lane {
    uint32_t thread;
    size_t first, n; /* samples, of the moments */
    size_t passed;   /* of them: before the end of the last scope */
    struct tk_map index;
    TK_VEC(struct sum) sums;
};

#define NO_TIMER UINT32_MAX

struct timers {
    const struct tk_query_context *view;
    bool *fallen;                /* owned, by moment: into a scope */
    TK_VEC(struct lane *) lanes; /* owned; by lane; NULL: none of a thread */
    TK_VEC(struct sum) rows;
    TK_VEC(struct sum) totals; /* samples that count (incl), by thread */
    struct tk_map index, total_index;
    uint64_t total;
    int64_t period;
};

static void close_timers(void *self)
{
    struct timers *t = self;
    for (size_t i = 0; i < t->lanes.n; i++) {
        if (t->lanes.v[i]) {
            tk_map_release(&t->lanes.v[i]->index);
            tk_vec_release(&t->lanes.v[i]->sums);
        }
        free(t->lanes.v[i]);
    }
    tk_vec_release(&t->lanes);
    tk_vec_release(&t->rows);
    tk_vec_release(&t->totals);
    tk_map_release(&t->index);
    tk_map_release(&t->total_index);
    free(t->fallen);
    free(t);
}

static int open_timers(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t wanted,
                       void **self, struct tk_err *err)
{
    struct timers *t = calloc(1, sizeof *t);
    (void)builder;
    (void)wanted;
    if (!t)
        return tk_err_nomem(err, "samples by timer");
    *self = t;
    t->view = view;
    t->fallen = view->moments ? calloc(view->moments->v.n + 1, sizeof *t->fallen) : NULL;
    return t->fallen ? TK_OK : tk_err_nomem(err, "samples by timer");
}

/* Lanes are made here, as take is called by several workers. */
static int make_lane(struct timers *t, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&t->lanes, (size_t)run->lane + 1))
        return -1;
    if (t->lanes.v[run->lane])
        return 0;
    struct lane *lane = t->lanes.v[run->lane] = calloc(1, sizeof *lane);
    if (!lane)
        return -1;
    lane->thread = run->thread;
    const struct tk_sample_moment *first = tk_sample_moments_of(t->view->moments, run->thread, &lane->n);
    lane->first = first ? (size_t)(first - t->view->moments->v.v) : 0;
    return 0;
}

static int feed_timers(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    for (size_t i = 0; i < batch->n_runs; i++)
        if (batch->runs[i].kind == TK_LANE_THREAD && make_lane(self, &batch->runs[i]))
            return tk_err_nomem(err, "samples by timer");
    return TK_OK;
}

static struct sum *reach(struct lane *lane, uint32_t timer)
{
    uint32_t at = tk_map_get(&lane->index, timer);
    if (at != TK_MAP_NONE)
        return &lane->sums.v[at];
    if (tk_vec_push(&lane->sums, ((struct sum){.timer = timer})) ||
        tk_map_put(&lane->index, timer, (uint32_t)lane->sums.n - 1))
        return NULL;
    return &lane->sums.v[lane->sums.n - 1];
}

/* The samples in [begin, passed) fell into a scope; those that fell into one inside are not its own. */
static int add_scope(struct timers *t, struct lane *lane, uint32_t timer, int64_t begin, bool outer)
{
    const struct tk_sample_moment *moments = tk_vec_at(&t->view->moments->v, lane->first);
    uint64_t own = 0, incl = 0;
    for (size_t i = lane->passed; i-- > 0 && moments[i].time >= begin;) {
        if (!tk_select_has(t->view->select, moments[i].time))
            continue;
        own += !t->fallen[lane->first + i];
        incl++;
        t->fallen[lane->first + i] = true;
    }
    struct sum *sum = incl ? reach(lane, timer) : NULL;
    if (!sum)
        return incl ? -1 : 0;
    sum->own += own;
    sum->incl += outer ? incl : 0;
    return 0;
}

static int take_timers(void *self, const struct tk_slices *s, unsigned worker)
{
    struct timers *t = self;
    struct lane *lane = s->lane < t->lanes.n ? t->lanes.v[s->lane] : NULL;
    (void)worker;
    if (!lane || s->kind != TK_LANE_THREAD)
        return TK_OK;
    const struct tk_sample_moment *moments = tk_vec_at(&t->view->moments->v, lane->first);
    for (size_t i = 0; i < s->n; i++) {
        while (lane->passed < lane->n && moments[lane->passed].time < s->end[i])
            lane->passed++;
        /* a scope that another writer ends later can end before samples that were passed */
        if (lane->passed && moments[lane->passed - 1].time >= s->begin[i] &&
            add_scope(t, lane, s->timer[i], s->begin[i], s->outer[i]))
            return TK_ENOMEM;
    }
    return TK_OK;
}

/* Is a scope the outermost of those of its timer that never ended? */
static bool is_outer(const struct tk_lane_end *end, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (end->open[k].timer == end->open[i].timer)
            return false;
    return true;
}

static int lane_timers(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct timers *t = self;
    struct lane *lane = end->lane < t->lanes.n ? t->lanes.v[end->lane] : NULL;
    if (!lane || end->kind != TK_LANE_THREAD)
        return TK_OK;
    lane->passed = lane->n;
    for (size_t i = end->n_open; i-- > 0;)
        if (add_scope(t, lane, end->open[i].timer, end->open[i].begin, is_outer(end, i)))
            return tk_err_nomem(err, "samples by timer");
    return TK_OK;
}

/* ---- rows ---- */

static bool by_thread(const struct timers *t)
{
    return (t->view->query->by & TK_BY_THREAD) != 0;
}

static int add_row(struct timers *t, const struct sum *from, uint32_t thread)
{
    const struct tk_timer *timer = from->timer == NO_TIMER ? NULL : tk_dict_timer(t->view->dict, from->timer);
    if (!timer && from->timer != NO_TIMER)
        return -1;
    uint32_t id =
        timer ? tk_dict_summed(t->view->dict, from->timer, t->view->query->by & TK_BY_SOURCE) : NO_TIMER;
    uint64_t key = (uint64_t)(by_thread(t) ? thread : 0) << 32 | id;
    uint32_t at = tk_map_get(&t->index, key);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)t->rows.n;
        if (tk_vec_push(&t->rows, ((struct sum){.timer = id, .thread = thread})) ||
            tk_map_put(&t->index, key, at))
            return -1;
    }
    t->rows.v[at].own += from->own;
    t->rows.v[at].incl += from->incl;
    return 0;
}

/* Samples of a thread from `first` on: all of them, and those that fell into no scope. */
static int add_thread(struct timers *t, size_t first, size_t n)
{
    const struct tk_sample_moment *moments = t->view->moments->v.v;
    struct sum rest = {.timer = NO_TIMER}, all = {.thread = moments[first].thread};
    for (size_t i = first; i < first + n; i++) {
        const bool counts = tk_select_has(t->view->select, moments[i].time);
        all.incl += counts;
        rest.own += counts && !t->fallen[i];
    }
    rest.incl = rest.own;
    t->total += all.incl;
    if (tk_vec_push(&t->totals, all) || tk_map_put(&t->total_index, all.thread, (uint32_t)t->totals.n - 1))
        return -1;
    return rest.own ? add_row(t, &rest, all.thread) : 0;
}

static bool is_selected(const struct timers *t, uint32_t thread)
{
    if (thread == TK_NO_THREAD)
        return t->view->select->threads.n == 0;
    return tk_select_thread(t->view->select, t->view->dict, thread);
}

static int collect(struct timers *t)
{
    const struct tk_sample_moments *moments = t->view->moments;
    int rc = 0;
    for (uint32_t i = 0; i < t->lanes.n && rc == 0; i++) {
        const struct lane *lane = t->lanes.v[i];
        for (size_t k = 0; lane && k < lane->sums.n && rc == 0; k++)
            rc = add_row(t, &lane->sums.v[k], lane->thread);
    }
    for (size_t first = 0, n; first < moments->v.n && rc == 0; first += n) {
        for (n = 1; first + n < moments->v.n && moments->v.v[first + n].thread == moments->v.v[first].thread;)
            n++;
        rc = is_selected(t, moments->v.v[first].thread) ? add_thread(t, first, n) : 0;
    }
    return rc;
}

static int by_own(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    if (x->own != y->own)
        return x->own > y->own ? -1 : 1;
    if (x->incl != y->incl)
        return x->incl > y->incl ? -1 : 1;
    if (x->timer != y->timer)
        return x->timer < y->timer ? -1 : 1;
    return (x->thread > y->thread) - (x->thread < y->thread);
}

static void fill_timer(const struct tk_timer *timer, struct tk_cell *row)
{
    row[TIMER] = tk_cell_of_text(timer->displayed);
    row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    row[FILE_NAME] = tk_cell_of_text(timer->info.file);
    if (timer->info.file || timer->info.line)
        row[LINE] = tk_cell_of_uint(timer->info.line);
}

static void fill_row(const struct timers *t, const struct sum *sum, const struct tk_timer *timer,
                     struct tk_cell *row)
{
    const uint32_t at = by_thread(t) ? tk_map_get(&t->total_index, sum->thread) : TK_MAP_NONE;
    const double all = (double)(at == TK_MAP_NONE ? t->total : t->totals.v[at].incl);
    if (timer)
        fill_timer(timer, row);
    if (by_thread(t)) {
        row[THREAD_ID] = tk_query_context_thread_id(sum->thread);
        tk_thread_put(t->view, sum->thread, &row[THREAD]);
    }
    row[OWN] = tk_cell_of_uint(sum->own);
    row[OWN_SHARE] = tk_cell_of_real((double)sum->own / all);
    row[OWN_TIME] = tk_sample_time(t->view, t->period, sum->own);
    row[INCL] = tk_cell_of_uint(sum->incl);
    row[INCL_SHARE] = tk_cell_of_real((double)sum->incl / all);
    row[INCL_TIME] = tk_sample_time(t->view, t->period, sum->incl);
}

static int finish_timers(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct timers *t = self;
    struct tk_patterns *patterns = &t->view->select->timers;
    t->period = tk_sample_period(t->view->dict);
    if (collect(t) || tk_sort(t->rows.v, t->rows.n, sizeof *t->rows.v, by_own))
        return tk_err_nomem(err, "samples by timer");
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct sum *sum = &t->rows.v[i];
        const struct tk_timer *timer =
            sum->timer == NO_TIMER ? NULL : tk_dict_timer(t->view->dict, sum->timer);
        if (patterns->n && (!timer || !tk_patterns_match(patterns, timer->displayed)))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_row(t, sum, timer, row);
    }
    return tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_timers, .lane = lane_timers};

const struct tk_builder tk_builder_sample_timers = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES),
              .slices = TK_SLICE_BEGIN | TK_SLICE_OUTER,
              .lists = {.moments = true}},
    .scopes = &scope_hooks,
    .open = open_timers,
    .feed = feed_timers,
    .finish = finish_timers,
    .close = close_timers,
};
