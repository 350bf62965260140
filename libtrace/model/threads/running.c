/*
 * Table `running`: how long scopes were really executed; a row a timer, or a row a timer and thread.
 *
 * Context switches are read beforehand; each scope is laid over the times that its thread was on a core.
 * Calls go to one set of sums, what ran of them to another. Threads without a context switch are left out, as
 * it is unknown when they ran.
 */
#include "base/sort.h"
#include "model/sums/timer_sums.h"
#include "model/threads/switch_list.h"
#include "query/context_cells.h"
#include "query/tables.h"
#include "tracekit/queries.h"

#include <stdlib.h>

/*
 * Running times of threads.
 */

/* A stretch of time on cores, from the begin of its block on. */
struct stretch {
    uint32_t from, length;
};

/* So many stretches at most, and selected cycles of all blocks before. */
enum { BLOCK = 16 };

struct block {
    int64_t begin;
    uint64_t before;
    size_t first; /* of its stretches */
    bool wide;    /* it is one of more than UINT32_MAX cycles, and its `from` the upper half of its length */
};

/* What is added last may still become longer, and is in no block yet. */
struct tk_core_times_thread {
    TK_VEC(struct block) blocks;
    TK_VEC(struct stretch) v; /* in order, apart from each other */
    int64_t begin, end;
    uint64_t ran; /* selected cycles of all stretches in blocks */
    bool open;
};

static struct tk_core_times_thread *thread_of(struct tk_core_times *r, uint32_t thread)
{
    uint32_t at = tk_map_get(&r->index, thread);
    if (at == TK_MAP_NONE) {
        at = (uint32_t)r->threads.n;
        if (tk_map_put(&r->index, thread, at) || tk_vec_push(&r->threads, (struct tk_core_times_thread){0}))
            return NULL;
    }
    return &r->threads.v[at];
}

static uint64_t selected(const struct tk_core_times *r, int64_t begin, int64_t end)
{
    return (uint64_t)tk_select_before(r->select, end) - (uint64_t)tk_select_before(r->select, begin);
}

static int add_stretch(const struct tk_core_times *r, struct tk_core_times_thread *t, int64_t begin,
                       uint64_t length)
{
    const struct block *last = t->blocks.n ? &t->blocks.v[t->blocks.n - 1] : NULL;
    const bool wide = length > UINT32_MAX;
    if (!last || wide || last->wide || t->v.n - last->first == BLOCK ||
        (uint64_t)begin - (uint64_t)last->begin > UINT32_MAX) {
        if (tk_vec_push(&t->blocks, ((struct block){begin, t->ran, t->v.n, wide})))
            return -1;
        last = &t->blocks.v[t->blocks.n - 1];
    }
    t->ran += selected(r, begin, (int64_t)((uint64_t)begin + length));
    const uint64_t from = wide ? length >> 32 : (uint64_t)begin - (uint64_t)last->begin;
    return tk_vec_push(&t->v, ((struct stretch){(uint32_t)from, (uint32_t)length}));
}

/* What may have become longer does not any more. */
static int close_stretch(const struct tk_core_times *r, struct tk_core_times_thread *t)
{
    const bool open = t->open;
    t->open = false;
    return open ? add_stretch(r, t, t->begin, (uint64_t)t->end - (uint64_t)t->begin) : 0;
}

/* Adds a run that begins no earlier than those before. */
static int add_run(const struct tk_core_times *r, struct tk_core_times_thread *t, const struct tk_switch *s)
{
    if (t->open && s->begin <= t->end) {
        t->end = s->end > t->end ? s->end : t->end;
        return 0;
    }
    if (close_stretch(r, t))
        return -1;
    t->begin = s->begin;
    t->end = s->end;
    t->open = true;
    return 0;
}

int tk_core_times_build(struct tk_core_times *r, const struct tk_switch_list *list,
                        const struct tk_select *select)
{
    struct tk_switch_reading reading = tk_switches_from_first(list);
    int rc = 0;
    r->select = select;
    for (const struct tk_switch *s; rc == 0 && (s = tk_switches_next(&reading));) {
        const uint32_t id = list->threads.v.v[s->thread].thread;
        if (id == TK_NO_THREAD || tk_select_is_behind(select, s->begin))
            continue;
        struct tk_core_times_thread *t = thread_of(r, id);
        rc = t ? add_run(r, t, s) : -1;
    }
    for (size_t i = 0; i < r->threads.n && rc == 0; i++)
        rc = close_stretch(r, &r->threads.v[i]);
    return rc;
}

bool tk_core_times_knows(const struct tk_core_times *r, uint32_t thread)
{
    return tk_map_get(&r->index, thread) != TK_MAP_NONE;
}

/* Selected cycles that the thread ran before t. */
static uint64_t before(const struct tk_core_times *r, const struct tk_core_times_thread *t, int64_t time)
{
    size_t at;
    TK_SEARCH(at, t->blocks.n, t->blocks.v[at].begin <= time);
    if (at == 0)
        return 0;
    const struct block *block = &t->blocks.v[at - 1];
    const size_t end = at < t->blocks.n ? block[1].first : t->v.n;
    uint64_t ran = block->before;
    for (size_t i = block->first; i < end; i++) {
        const uint64_t upper = block->wide ? t->v.v[i].from : 0;
        const int64_t from = (int64_t)((uint64_t)block->begin + (upper ? 0 : t->v.v[i].from));
        const int64_t to = (int64_t)((uint64_t)from + (upper << 32 | t->v.v[i].length));
        if (from > time)
            break;
        ran += selected(r, from, time < to ? time : to);
    }
    return ran;
}

uint64_t tk_core_times_between(const struct tk_core_times *r, uint32_t thread, int64_t begin, int64_t end)
{
    uint32_t at = tk_map_get(&r->index, thread);
    if (at == TK_MAP_NONE || end <= begin)
        return 0;
    return before(r, &r->threads.v[at], end) - before(r, &r->threads.v[at], begin);
}

void tk_core_times_release(struct tk_core_times *r)
{
    for (size_t i = 0; i < r->threads.n; i++) {
        tk_vec_release(&r->threads.v[i].blocks);
        tk_vec_release(&r->threads.v[i].v);
    }
    tk_vec_release(&r->threads);
    tk_map_release(&r->index);
}

enum {
    THREAD_ID,
    THREAD,
    TIMER = THREAD + TK_THREAD_COLUMNS,
    KIND,
    FILE_NAME,
    LINE,
    COUNT,
    TOTAL,
    RUNNING,
    WAITING,
    SHARE,
    LENGTHS,
    COLUMNS = LENGTHS + TK_DISTRIBUTION_COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [THREAD_ID] = {"thread_id", TK_UINT, TK_COL_GROUP, NULL, "id of the thread in the capture"},
    [THREAD] = TK_THREAD_COLUMNS_AS(TK_COL_GROUP, "name of the thread"),
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "name"},
    [KIND] = {"kind", TK_TEXT, TK_COL_EXTRA, NULL, "kind of the timer"},
    [FILE_NAME] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file"},
    [LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line in it"},
    [COUNT] = {"count", TK_UINT, 0, "calls", "complete scopes on threads with context switches"},
    [TOTAL] = {"total", TK_DURATION, 0, NULL, "sum of the durations of all calls, recursive ones included"},
    [RUNNING] = {"running", TK_DURATION, 0, NULL, "time on a core"},
    [WAITING] = {"waiting", TK_DURATION, 0, NULL, "time off core"},
    [SHARE] = {"share", TK_REAL, TK_COL_PART, NULL, "running as a share of total, 0 to 1"},
    TK_DISTRIBUTION_LENGTHS(LENGTHS, "", 0, "shortest time on a core of a call",
                            "longest time on a core of a call", "mean time on a core of a call",
                            "the times on a core (to 0.8 %)"),
};

static const struct tk_table table = {
    .name = "running",
    .help = "timers: how much of their time the thread was on a core",
    .columns = columns,
    .n_columns = COLUMNS,
    .schema = 2,
    .sort_by = "running",
};

#define AT_ONCE 256u /* slices */

struct lane {
    uint32_t thread;
    bool known; /* of the thread there are context switches */
    struct tk_timer_sum_set calls, runs;
};

struct running {
    const struct tk_query_context *view;
    struct tk_core_times when;
    TK_VEC(struct lane *) lanes; /* owned; by lane; NULL: none of a thread */
    struct lane all;             /* where rows are not by thread */
    bool by_thread;
};

static void release_lane(struct lane *lane)
{
    tk_timer_sum_release(&lane->calls);
    tk_timer_sum_release(&lane->runs);
}

static void close_running(void *self)
{
    struct running *r = self;
    for (size_t i = 0; i < r->lanes.n; i++) {
        if (r->lanes.v[i])
            release_lane(r->lanes.v[i]);
        free(r->lanes.v[i]);
    }
    release_lane(&r->all);
    tk_vec_release(&r->lanes);
    tk_core_times_release(&r->when);
    free(r);
}

static int open_running(const struct tk_query_context *view, const struct tk_builder *builder,
                        uint64_t wanted, void **self, struct tk_err *err)
{
    struct running *r = calloc(1, sizeof *r);
    (void)builder;
    (void)wanted;
    if (!r)
        return tk_err_nomem(err, "running times");
    *self = r;
    r->view = view;
    r->by_thread = view->query->by & TK_BY_THREAD;
    r->all.runs.what = TK_TIMER_SUM_SKETCH;
    if (view->switches && tk_core_times_build(&r->when, view->switches, view->select))
        return tk_err_nomem(err, "running times");
    return TK_OK;
}

/* Lanes are made here, as take is called by several workers. */
static int make_lane(struct running *r, const struct tk_scope_run *run)
{
    if (tk_vec_reach(&r->lanes, (size_t)run->lane + 1))
        return -1;
    if (r->lanes.v[run->lane])
        return 0;
    struct lane *lane = r->lanes.v[run->lane] = calloc(1, sizeof *lane);
    if (!lane)
        return -1;
    lane->thread = run->thread;
    lane->known = tk_core_times_knows(&r->when, run->thread);
    lane->runs.what = TK_TIMER_SUM_SKETCH;
    return 0;
}

static int feed_running(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    (void)emit;
    for (size_t i = 0; i < batch->n_runs; i++)
        if (batch->runs[i].kind == TK_LANE_THREAD && make_lane(self, &batch->runs[i]))
            return tk_err_nomem(err, "running times");
    return TK_OK;
}

static int take_runs(const struct running *r, struct lane *lane, const struct tk_slices *s, size_t from,
                     size_t n)
{
    uint64_t ran[AT_ONCE];
    struct tk_slices part = {
        .thread = s->thread, .lane = s->lane, .n = n, .timer = s->timer + from, .key = s->key + from};
    for (size_t i = 0; i < n; i++)
        ran[i] = tk_core_times_between(&r->when, lane->thread, s->begin[from + i], s->end[from + i]);
    part.total = part.excl = ran;
    return tk_timer_sum_take(&lane->runs, &part);
}

static int take_running(void *self, const struct tk_slices *s, unsigned worker)
{
    const struct running *r = self;
    struct lane *lane = r->lanes.v[s->lane];
    (void)worker;
    if (!lane->known)
        return TK_OK;
    for (size_t from = 0; from < s->n; from += AT_ONCE)
        if (take_runs(r, lane, s, from, s->n - from < AT_ONCE ? s->n - from : AT_ONCE))
            return TK_ENOMEM;
    return tk_timer_sum_take(&lane->calls, s) ? TK_ENOMEM : TK_OK;
}

/* ---- merging ---- */

/* Adds a set to another, timers as those that have their sums; of the set itself only what turned out to be
 * another timer's. */
static int merge_running(const struct running *r, struct tk_timer_sum_set *into,
                         const struct tk_timer_sum_set *from)
{
    struct tk_timer_sum_entry e, to;
    for (size_t at = 0; tk_timer_sum_next(from, &at, &e);) {
        const uint32_t timer = tk_dict_summed(r->view->dict, e.timer, r->view->query->by & TK_BY_SOURCE);
        if (into == from && timer == e.timer)
            continue;
        if (timer == TK_MAP_NONE || tk_timer_sum_find(into, timer, &to) ||
            tk_timer_sum_merge_cell(into, to.cell, e.cell))
            return -1;
        if (into == from)
            e.cell->count = 0;
    }
    return 0;
}

static int merge_all(struct running *r)
{
    for (size_t i = 0; i < r->lanes.n; i++) {
        struct lane *lane = r->lanes.v[i];
        struct lane *into = r->by_thread ? lane : &r->all;
        if (lane &&
            (merge_running(r, &into->calls, &lane->calls) || merge_running(r, &into->runs, &lane->runs)))
            return -1;
    }
    return 0;
}

/* ---- rows ---- */

struct row {
    uint32_t timer;
    struct lane *lane;
    const struct tk_timer_sum_cell *calls;
};

static int by_timer(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return (x->timer > y->timer) - (x->timer < y->timer);
}

static void fill_times_running(const struct tk_query_context *view, const struct tk_timer_sum_cell *calls,
                               const struct tk_timer_sum_cell *ran, struct tk_cell *row)
{
    struct tk_distribution lengths = tk_timer_sum_distribution(ran);
    row[COUNT] = tk_cell_of_uint(calls->count);
    row[TOTAL] = tk_query_context_span(view, (int64_t)calls->total);
    row[RUNNING] = tk_query_context_span(view, (int64_t)ran->total);
    row[WAITING] = tk_query_context_span(view, (int64_t)(calls->total - ran->total));
    if (calls->total)
        row[SHARE] = tk_cell_of_real((double)ran->total / (double)calls->total);
    tk_distribution_put(view, TK_DURATION, &lengths, &row[LENGTHS]);
}

static void fill_name(const struct running *r, const struct row *at, const struct tk_timer *timer,
                      struct tk_cell *row)
{
    if (r->by_thread) {
        row[THREAD_ID] = tk_query_context_thread_id(at->lane->thread);
        tk_thread_put(r->view, at->lane->thread, &row[THREAD]);
    }
    row[TIMER] = tk_cell_of_text(timer->displayed);
    row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    row[FILE_NAME] = tk_cell_of_text(timer->info.file);
    if (timer->info.file || timer->info.line)
        row[LINE] = tk_cell_of_uint(timer->info.line);
}

static int collect_lane(struct lane *lane, struct row **rows, size_t *n, size_t *cap)
{
    struct tk_timer_sum_entry e;
    for (size_t at = 0; tk_timer_sum_next(&lane->calls, &at, &e);) {
        if (e.timer >= TK_LATE || !e.cell->count)
            continue;
        if (tk_vec_grow((void **)rows, cap, *n + 1, sizeof **rows))
            return -1;
        (*rows)[(*n)++] = (struct row){e.timer, lane, e.cell};
    }
    return 0;
}

/* All rows in order; to be freed. */
static int collect_running(struct running *r, struct row **rows, size_t *n)
{
    size_t cap = 0;
    int rc = r->by_thread ? 0 : collect_lane(&r->all, rows, n, &cap);
    for (size_t i = 0; r->by_thread && i < r->lanes.n && rc == 0; i++)
        rc = r->lanes.v[i] ? collect_lane(r->lanes.v[i], rows, n, &cap) : 0;
    return rc ? rc : tk_sort(*rows, *n, sizeof **rows, by_timer);
}

static int send_rows(struct running *r, const struct row *rows, size_t n, struct tk_emit *emit)
{
    struct tk_patterns *timers = &r->view->select->timers;
    for (size_t i = 0; i < n; i++) {
        const struct tk_timer *timer = tk_dict_timer(r->view->dict, rows[i].timer);
        struct tk_timer_sum_entry ran;
        if (!timer || tk_timer_sum_find(&rows[i].lane->runs, rows[i].timer, &ran))
            return -1;
        if (timers->n && !tk_patterns_match(timers, timer->displayed))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_name(r, &rows[i], timer, row);
        fill_times_running(r->view, rows[i].calls, ran.cell, row);
    }
    return 0;
}

static int finish_running(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct running *r = self;
    struct row *rows = NULL;
    size_t n = 0;
    int rc = merge_all(r);
    if (rc == 0)
        rc = collect_running(r, &rows, &n);
    if (rc == 0)
        rc = send_rows(r, rows, n, emit);
    free(rows);
    return rc ? tk_err_nomem(err, "running times") : tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_running};

const struct tk_builder tk_builder_running = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(SCOPES), .slices = TK_SLICE_BEGIN, .lists = {.switches = true}},
    .scopes = &scope_hooks,
    .open = open_running,
    .feed = feed_running,
    .finish = finish_running,
    .close = close_running,
};
