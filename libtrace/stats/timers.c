/*
 * Tables `timers` and `gpu`. Slices go to sets of sums (agg.h), one a worker, or one a lane where rows are by
 * thread or queue; when all is read they are merged and become rows. The rules are those of the reference on
 * inclusive and exclusive time.
 */
#include "stats/timers.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/sort.h"
#include "model/view.h"
#include "stats/frame_sums.h"

enum {
    THREAD_ID,
    THREAD,
    TIMER,
    KIND,
    FILE_NAME,
    LINE,
    COUNT,
    OPEN,
    INCL,
    TOTAL,
    EXCL,
    SHARE,
    MIN,
    MAX,
    MEAN,
    MEDIAN,
    P50,
    P90,
    P95,
    P99,
    P999,
    FRAME_MEAN,
    FRAME_P95,
    COLUMNS
};

/* Columns of both tables. */
#define TIMER_COLUMNS                                                                                        \
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},                                                           \
    [KIND] = {"kind", TK_TEXT, 0, NULL,                                                                      \
              "spec, metadata, scoped_event, coroutine, zone; gpu, gpu_work or gpu_wait"},                   \
    [FILE_NAME] = {"file", TK_TEXT, 0, NULL, "source file"},                                                 \
    [LINE] = {"line", TK_UINT, 0, NULL, "line in it"},                                                       \
    [COUNT] = {"count", TK_UINT, 0, "calls", "scopes with a begin and an end"},                              \
    [OPEN] = {"open", TK_UINT, 0, "calls", "scopes without an end; they are in no other figure"},            \
    [INCL] = {"incl", TK_SPAN, 0, NULL, "time inside, calls inside a call of the same timer left out"},      \
    [TOTAL] = {"total", TK_SPAN, 0, NULL, "sum of the times of all calls"},                                  \
    [EXCL] = {"excl", TK_SPAN, 0, NULL, "own time: without scopes begun inside"},                            \
    [SHARE] = {"share", TK_REAL, TK_COL_EXTRA, NULL, "part of the own time of all timers, 0 to 1"},          \
    [MIN] = {"min", TK_SPAN, 0, NULL, "shortest call"}, [MAX] = {"max", TK_SPAN, 0, NULL, "longest call"},   \
    [MEAN] = {"mean", TK_MEAN, 0, NULL, "mean time of a call"},                                              \
    [MEDIAN] = {"median", TK_SPAN, 0, NULL, "half of the calls took no longer (to 0.8 %)"},                  \
    [P50] = {"p50", TK_SPAN, TK_COL_EXTRA, NULL, "the same as median"},                                      \
    [P90] = {"p90", TK_SPAN, TK_COL_EXTRA, NULL, "90 of 100 calls took no longer (to 0.8 %)"},               \
    [P95] = {"p95", TK_SPAN, 0, NULL, "95 of 100 calls took no longer (to 0.8 %)"},                          \
    [P99] = {"p99", TK_SPAN, 0, NULL, "99 of 100 calls took no longer (to 0.8 %)"},                          \
    [P999] = {"p999", TK_SPAN, TK_COL_EXTRA, NULL, "999 of 1000 calls took no longer (to 0.8 %)"},           \
    [FRAME_MEAN] = {"frame_mean", TK_MEAN, TK_COL_EXTRA, NULL,                                               \
                    "mean of incl over all game frames that have an end"},                                   \
    [FRAME_P95] = {"frame_p95", TK_SPAN, TK_COL_EXTRA, NULL,                                                 \
                   "in 95 of 100 of those frames incl is no more (to 0.4 %)"}

static const struct tk_column columns[COLUMNS] = {
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_GROUP, NULL, "id of the thread in the capture"},
    [THREAD] = {"thread", TK_TEXT, TK_COL_GROUP, NULL, "name of the thread"},
    TIMER_COLUMNS,
};

static const struct tk_column gpu_columns[COLUMNS] = {
    [THREAD_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue in the capture"},
    [THREAD] = {"queue", TK_TEXT, 0, NULL, "name of the GPU queue"},
    TIMER_COLUMNS,
};

static const struct tk_table table = {
    .name = "timers",
    .help = "timers: calls and times of scopes",
    .columns = columns,
    .n_columns = COLUMNS,
    .sort_by = "incl",
};

static const struct tk_table gpu_table = {
    .name = "gpu",
    .help = "timers of GPU queues: calls and times of what they did, and their work and waiting as a whole",
    .columns = gpu_columns,
    .n_columns = COLUMNS,
    .sort_by = "incl",
};

/* Columns that are percentiles of calls. */
static const struct {
    unsigned column, share, of;
} percentiles[] = {
    {MEDIAN, 50, 100}, {P50, 50, 100}, {P90, 90, 100}, {P95, 95, 100}, {P99, 99, 100}, {P999, 999, 1000},
};

#define BIT(column)   (UINT64_C(1) << (column))
#define CALL_SKETCH   (BIT(MEDIAN) | BIT(P50) | BIT(P90) | BIT(P95) | BIT(P99) | BIT(P999))
#define FRAME_COLUMNS (BIT(FRAME_MEAN) | BIT(FRAME_P95))
#define N_PERCENTILES (sizeof percentiles / sizeof percentiles[0])

struct timers {
    const struct tk_view *view;
    uint64_t columns;
    unsigned what;                    /* TK_AGG_... */
    uint64_t facts;                   /* SCOPES or GPU_SCOPES */
    bool by_thread;                   /* or by queue */
    TK_VEC(struct tk_agg_set *) sets; /* owned; by lane (NULL: nothing taken) or by worker */
    TK_VEC(uint32_t) threads;         /* by lane: id; only by thread */
    struct tk_frame_sums frames;      /* with TK_AGG_FRAMES */
    uint64_t all_excl;                /* of all timers; modulo 2^64 */
};

/* A row on its way out. */
struct timer_row {
    uint32_t timer, lane;
    const struct tk_agg_cell *cell;
    const struct tk_agg_side *side;
};

static unsigned what_for(uint64_t wanted)
{
    unsigned what = 0;
    if (wanted & (BIT(INCL) | FRAME_COLUMNS))
        what |= TK_AGG_INCL;
    if (wanted & CALL_SKETCH)
        what |= TK_AGG_SKETCH;
    if (wanted & FRAME_COLUMNS)
        what |= TK_AGG_FRAMES;
    return what;
}

static unsigned slices(const struct tk_view *view, uint64_t wanted, bool *needs_frames)
{
    unsigned what = what_for(wanted);
    (void)view;
    *needs_frames |= (what & TK_AGG_FRAMES) != 0;
    return (what & TK_AGG_INCL ? TK_SLICE_OUTER : 0) | (what & TK_AGG_FRAMES ? TK_SLICE_FRAME : 0);
}

/* ---- reading ---- */

/* Makes the sets up to number n - 1. */
static int reach_sets(struct timers *t, size_t n)
{
    if (tk_vec_reserve(&t->sets, n))
        return -1;
    while (t->sets.n < n)
        t->sets.v[t->sets.n++] = NULL;
    return 0;
}

static struct tk_agg_set *set_at(struct timers *t, size_t i)
{
    if (reach_sets(t, i + 1))
        return NULL;
    if (!t->sets.v[i] && (t->sets.v[i] = calloc(1, sizeof *t->sets.v[i]))) {
        t->sets.v[i]->what = t->what;
        t->sets.v[i]->window = &t->frames.window;
    }
    return t->sets.v[i];
}

static void close(void *self)
{
    struct timers *t = self;
    for (size_t i = 0; i < t->sets.n; i++) {
        if (t->sets.v[i])
            tk_agg_release(t->sets.v[i]);
        free(t->sets.v[i]);
    }
    tk_vec_release(&t->sets);
    tk_vec_release(&t->threads);
    free(t);
}

static int open_for(const struct tk_view *view, uint64_t wanted, uint64_t facts, void **self,
                    struct tk_err *err)
{
    struct timers *t = calloc(1, sizeof *t);
    if (!t)
        return tk_err_nomem(err, "timers");
    t->view = view;
    t->columns = wanted;
    t->what = what_for(wanted);
    t->facts = facts;
    t->by_thread = view->query->by & TK_BY_THREAD || facts == TK_FACT_MASK(GPU_SCOPES);
    if (t->what & TK_AGG_FRAMES)
        tk_frame_sums_init(&t->frames, view, t->by_thread);
    *self = t;
    unsigned jobs = t->by_thread ? 0 : tk_pool_jobs(view->ctx->pool);
    for (unsigned i = 0; i < jobs; i++)
        if (!set_at(t, i))
            return tk_err_nomem(err, "timers");
    return TK_OK;
}

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    return open_for(view, wanted, TK_FACT_MASK(SCOPES), self, err);
}

static int open_gpu(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    return open_for(view, wanted, TK_FACT_MASK(GPU_SCOPES), self, err);
}

/* Sets of lanes are made here, as take is called by several workers. */
static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct timers *t = self;
    (void)emit;
    for (size_t i = 0; t->by_thread && i < batch->n_runs; i++)
        if (tk_lane_fact(batch->runs[i].kind) == t->facts && !set_at(t, batch->runs[i].lane))
            return tk_err_nomem(err, "timers");
    if ((t->what & TK_AGG_FRAMES) && tk_frame_sums_advance(&t->frames, t->sets.v, t->sets.n))
        return tk_err_nomem(err, "sums of frames");
    return TK_OK;
}

static int take(void *self, const struct tk_slices *s, unsigned worker)
{
    struct timers *t = self;
    return tk_agg_take(t->sets.v[t->by_thread ? s->lane : worker], s) ? TK_ENOMEM : TK_OK;
}

static int count_open(struct timers *t, struct tk_agg_set *set, const struct tk_open_scope *open_scopes,
                      size_t n)
{
    struct tk_agg_entry e;
    for (size_t i = 0; i < n; i++) {
        if (!tk_select_touches(t->view->select, open_scopes[i].begin, INT64_MAX))
            continue;
        if (tk_agg_find(set, open_scopes[i].timer, &e))
            return -1;
        e.side->open++;
    }
    return 0;
}

static int lane(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct timers *t = self;
    if (tk_lane_fact(end->kind) != t->facts)
        return TK_OK;
    struct tk_agg_set *set = set_at(t, t->by_thread ? end->lane : 0);
    if (!set || count_open(t, set, end->open, end->n_open) || count_open(t, set, end->lost, end->n_lost))
        return tk_err_nomem(err, "timers");
    if (!t->by_thread)
        return TK_OK;
    if (tk_vec_reserve(&t->threads, (size_t)end->lane + 1))
        return tk_err_nomem(err, "timers");
    while (t->threads.n <= end->lane)
        t->threads.v[t->threads.n++] = TK_NO_THREAD;
    t->threads.v[end->lane] = end->thread;
    return TK_OK;
}

/* ---- merging ---- */

static int merge_entry(struct timers *t, struct tk_agg_set *into, uint32_t timer, struct tk_agg_entry *from)
{
    struct tk_agg_entry to;
    if (tk_agg_find(into, timer, &to) || tk_agg_merge_cell(to.cell, from->cell))
        return -1;
    to.side->open += from->side->open;
    if (!from->side->frames)
        return 0;
    struct tk_frame_row *row = tk_frame_row_of(to.side, t->frames.window.size);
    return row ? tk_frame_row_merge(row, from->side->frames) : -1;
}

/* Gives what late timers have to the timers that they are. */
static int settle_late(struct timers *t, struct tk_agg_set *set)
{
    struct tk_agg_entry e;
    for (size_t at = 0; tk_agg_next(set, &at, &e) && e.timer >= TK_LATE;) {
        const struct tk_timer *timer = tk_dict_timer(t->view->dict, e.timer);
        if (!timer || merge_entry(t, set, timer->info.id, &e))
            return -1;
    }
    return 0;
}

static int merge_workers(struct timers *t)
{
    struct tk_agg_entry e;
    for (size_t i = 1; i < t->sets.n; i++) {
        for (size_t at = 0; tk_agg_next(t->sets.v[i], &at, &e);)
            if (merge_entry(t, t->sets.v[0], e.timer, &e))
                return -1;
        tk_agg_release(t->sets.v[i]);
    }
    return 0;
}

static int merge(struct timers *t)
{
    if ((t->what & TK_AGG_FRAMES) && tk_frame_sums_finish(&t->frames, t->sets.v, t->sets.n))
        return -1;
    if (!t->by_thread && merge_workers(t))
        return -1;
    for (size_t i = 0; i < (t->by_thread ? t->sets.n : 1); i++)
        if (t->sets.v[i] && settle_late(t, t->sets.v[i]))
            return -1;
    return 0;
}

/* ---- rows ---- */

static int by_timer(const void *a, const void *b)
{
    const struct timer_row *x = a, *y = b;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

/* All rows in order; to be freed. */
static int collect(struct timers *t, struct timer_row **out, size_t *n)
{
    TK_VEC(struct timer_row) rows = {0};
    struct tk_agg_entry e;
    for (size_t i = 0; i < t->sets.n; i++) {
        for (size_t at = 0; t->sets.v[i] && tk_agg_next(t->sets.v[i], &at, &e);) {
            struct timer_row row = {e.timer, (uint32_t)i, e.cell, e.side};
            if (e.timer >= TK_LATE || (!e.cell->count && !e.side->open))
                continue;
            t->all_excl += e.cell->excl;
            if (tk_vec_push(&rows, row)) {
                tk_vec_release(&rows);
                return -1;
            }
        }
    }
    *out = rows.v;
    *n = rows.n;
    return tk_sort(rows.v, rows.n, sizeof *rows.v, by_timer);
}

static void fill_name(const struct tk_timer *timer, struct tk_cell *row)
{
    row[TIMER] = tk_cell_of_text(timer->shown);
    row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    row[FILE_NAME] = tk_cell_of_text(timer->info.file);
    if (timer->info.file || timer->info.line)
        row[LINE] = tk_cell_of_uint(timer->info.line);
}

static uint64_t clamp(uint64_t v, uint64_t min, uint64_t max)
{
    return v < min ? min : v > max ? max : v;
}

static void fill_percentiles(const struct timers *t, const struct tk_agg_cell *cell, struct tk_cell *row)
{
    for (size_t i = 0; i < N_PERCENTILES; i++) {
        if (!(t->columns & BIT(percentiles[i].column)))
            continue;
        uint64_t rank = tk_sketch_rank(cell->count, percentiles[i].share, percentiles[i].of);
        uint64_t value = clamp(tk_sketch_ranked(&cell->sketch, rank), cell->min, cell->max);
        row[percentiles[i].column] = tk_view_span(t->view, (int64_t)value);
    }
}

static void fill_frames(const struct timers *t, const struct tk_frame_row *frames, struct tk_cell *row)
{
    if (!t->frames.n_selected)
        return;
    struct tk_cell total = tk_view_span(t->view, frames ? (int64_t)frames->total : 0);
    row[FRAME_MEAN] = tk_cell_of_mean((double)total.v.i / (double)t->frames.n_selected);
    row[FRAME_P95] = tk_view_span(t->view, (int64_t)tk_frame_sums_percentile(&t->frames, frames, 95, 100));
}

static void fill_times(const struct timers *t, const struct tk_agg_cell *cell, struct tk_cell *row)
{
    const struct tk_view *view = t->view;
    row[INCL] = tk_view_span(view, (int64_t)cell->incl);
    row[TOTAL] = tk_view_span(view, (int64_t)cell->total);
    row[EXCL] = tk_view_span(view, (int64_t)cell->excl);
    if (t->all_excl)
        row[SHARE] = tk_cell_of_real((double)(int64_t)cell->excl / (double)(int64_t)t->all_excl);
    row[MIN] = tk_view_span(view, (int64_t)cell->min);
    row[MAX] = tk_view_span(view, (int64_t)cell->max);
    row[MEAN] = tk_cell_of_mean((double)row[TOTAL].v.i / (double)cell->count);
    fill_percentiles(t, cell, row);
}

static void fill_lane(const struct timers *t, uint32_t id, struct tk_cell *row)
{
    if (t->facts == TK_FACT_MASK(SCOPES)) {
        row[THREAD_ID] = tk_view_thread_id(id);
        row[THREAD] = tk_view_thread(t->view, id);
        return;
    }
    const struct tk_fact_gpu_queue *queue = tk_dict_queue(t->view->dict, id);
    if (queue) {
        row[THREAD_ID] = tk_cell_of_uint(queue->key);
        row[THREAD] = tk_cell_of_text(queue->name);
    }
}

static void fill(const struct timers *t, const struct timer_row *r, const struct tk_timer *timer,
                 struct tk_cell *row)
{
    if (t->by_thread && r->lane < t->threads.n)
        fill_lane(t, t->threads.v[r->lane], row);
    fill_name(timer, row);
    row[COUNT] = tk_cell_of_uint(r->cell->count);
    row[OPEN] = tk_cell_of_uint(r->side->open);
    if (r->cell->count)
        fill_times(t, r->cell, row);
    if (r->cell->count && t->what & TK_AGG_FRAMES)
        fill_frames(t, r->side->frames, row);
}

static int send_rows(struct timers *t, const struct timer_row *rows, size_t n, struct tk_emit *emit,
                     struct tk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct tk_timer *timer = tk_dict_timer(t->view->dict, rows[i].timer);
        if (!timer)
            return tk_err_nomem(err, "timers");
        if (t->view->select->timers.n && !tk_patterns_match(&t->view->select->timers, timer->shown))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill(t, &rows[i], timer, row);
    }
    return tk_emit_status(emit);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct timers *t = self;
    struct timer_row *rows = NULL;
    size_t n = 0;
    if (merge(t) || collect(t, &rows, &n)) {
        free(rows);
        return tk_err_nomem(err, "timers");
    }
    if (t->frames.late)
        tk_health_note(&t->view->ctx->health, TK_HEALTH_FRAME_LATE, TK_NO_OFFSET, t->frames.late,
                       "%" PRIu64
                       " times scopes came after the sums of their frame were closed; frame_p95 does without",
                       t->frames.late);
    int rc = send_rows(t, rows, n, emit, err);
    free(rows);
    return rc;
}

const struct tk_builder tk_builder_timers = {
    .table = &table,
    .facts = TK_FACT_MASK(SCOPES),
    .slices = slices,
    .open = open,
    .feed = feed,
    .take = take,
    .lane = lane,
    .finish = finish,
    .close = close,
};

const struct tk_builder tk_builder_gpu = {
    .table = &gpu_table,
    .facts = TK_FACT_MASK(GPU_SCOPES),
    .serial = true,
    .slices = slices,
    .open = open_gpu,
    .feed = feed,
    .take = take,
    .lane = lane,
    .finish = finish,
    .close = close,
};
