/*
 * Tables `scopes` and `gpu_scopes`: every closed scope of threads, or of GPU queues, streamed: batch after
 * batch of the reading, in it lane after lane, in a lane by the end of the scope. Scopes that never ended
 * come last, without a duration. Times are those of the scope, cut to the selection only where the query
 * clips.
 */
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>
#include <string.h>

enum {
    THREAD_ID, /* or of the queue */
    THREAD,
    TIMER,
    START,
    DURATION,
    DEPTH,
    ID,
    PARENT_ID,
    KIND,
    SOURCE,
    LINE,
    GPU_COLUMNS,
    MORE = GPU_COLUMNS, /* of the thread */
    COLUMNS = MORE + TK_THREAD_MORE
};

/* clang-format off */
#define SCOPE_COLUMNS(kind_flags)                                                                            \
    [TIMER] = {"timer", TK_TEXT, 0, NULL, "its timer"},                                                      \
    [START] = {"start", TK_TIME, 0, NULL, "when it starts"},                                                          \
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration; empty if it never ended"},                       \
    [DEPTH] = {"depth", TK_UINT, 0, NULL, "nesting depth, from 0"},                                          \
    [ID] = {"scope_id", TK_UINT, 0, NULL, "number of the scope, in order of begin"},                                           \
    [PARENT_ID] = {"parent_id", TK_UINT, 0, NULL, "id of the enclosing scope; empty for a root"},            \
    [KIND] = {"kind", TK_TEXT, kind_flags, NULL, "kind of the timer"},                                       \
    [SOURCE] = {"file", TK_TEXT, TK_COL_EXTRA, NULL, "source file of the timer"},                            \
    [LINE] = {"line", TK_UINT, TK_COL_EXTRA, NULL, "line in the source file"}
/* clang-format on */

static const struct tk_column columns[COLUMNS] = {
    [THREAD_ID] = {"thread_id", TK_UINT, 0, NULL, "id of the thread"},
    [THREAD] = {"thread", TK_TEXT, 0, NULL, "the thread"},
    SCOPE_COLUMNS(TK_COL_EXTRA),
    [MORE] = TK_THREAD_MORE_AS(0),
};

static const struct tk_column gpu_columns[GPU_COLUMNS] = {
    [THREAD_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue in the capture"},
    [THREAD] = {"queue", TK_TEXT, 0, NULL, "name of the GPU queue"},
    SCOPE_COLUMNS(0),
};

static const struct tk_table table = {
    .name = "scopes",
    .schema = 2,
    .help = "every scope",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_TIMES,
};

static const struct tk_table gpu_table = {
    .name = "gpu_scopes",
    .schema = 2,
    .help = "every scope of GPU queues; work and waiting have separate stacks",
    .columns = gpu_columns,
    .n_columns = GPU_COLUMNS,
};

#define LANE_SHIFT 40 /* ids of a lane: its number above, the scope's number in the lane below */

struct scope {
    int64_t begin, end;
    uint64_t id, parent;
    uint32_t timer, depth;
};

/* Scopes of one lane that a worker took. */
struct block {
    uint32_t lane, thread;
    size_t first, n; /* in the worker's scopes */
};

struct worker {
    TK_VEC(struct scope) scopes;
    TK_VEC(struct block) blocks;
};

struct never_ended {
    uint32_t thread, lane;
    struct tk_open_scope open;
};

struct scopes {
    const struct tk_query_context *view;
    bool gpu;
    struct worker *workers; /* owned */
    size_t n_workers;
    TK_VEC(uint8_t) passes; /* by timer id: 0 not queried yet, 1 yes, 2 no */
    TK_VEC(struct never_ended) open;
};

static int open_scopes_table(const struct tk_query_context *view, const struct tk_builder *builder,
                             uint64_t wanted, void **self, struct tk_err *err)
{
    struct scopes *s = calloc(1, sizeof *s);
    (void)wanted;
    if (!s)
        return tk_err_nomem(err, "scopes");
    s->view = view;
    s->gpu = builder->table == &gpu_table;
    s->n_workers = tk_pool_jobs(view->ctx->pool);
    *self = s;
    s->workers = calloc(s->n_workers, sizeof *s->workers);
    return s->workers ? TK_OK : tk_err_nomem(err, "scopes");
}

static int take_scopes_table(void *self, const struct tk_slices *slices, unsigned worker)
{
    struct worker *w = &((struct scopes *)self)->workers[worker];
    struct block block = {slices->lane, slices->thread, w->scopes.n, slices->n};
    if (tk_vec_reserve(&w->scopes, w->scopes.n + slices->n) || tk_vec_push(&w->blocks, block))
        return TK_ENOMEM;
    for (size_t i = 0; i < slices->n; i++)
        w->scopes.v[w->scopes.n++] = (struct scope){slices->begin[i],  slices->end[i],   slices->id[i],
                                                    slices->parent[i], slices->timer[i], slices->depth[i]};
    return TK_OK;
}

static bool passes_scopes_table(struct scopes *s, const struct tk_timer *timer, uint32_t id)
{
    if (!s->view->select->timers.n)
        return true;
    if (id >= TK_LATE || tk_vec_reach(&s->passes, (size_t)id + 1))
        return tk_patterns_match(&s->view->select->timers, timer->displayed);
    if (!s->passes.v[id])
        s->passes.v[id] = tk_patterns_match(&s->view->select->timers, timer->displayed) ? 1 : 2;
    return s->passes.v[id] == 1;
}

/* The cells of the thread or the queue. */
static void fill_owner(const struct tk_query_context *view, bool gpu, uint32_t id, struct tk_cell *row)
{
    if (gpu) {
        tk_query_context_queue(view, id, row);
        return;
    }
    row[THREAD_ID] = tk_cell_of_uint(id);
    row[THREAD] = tk_query_context_thread(view, id);
    tk_thread_more_put(view, id, &row[MORE]);
}

static void fill_timer(struct tk_cell *row, const struct tk_timer *timer)
{
    row[TIMER] = tk_cell_of_text(timer->displayed);
    row[KIND] = tk_cell_of_c(tk_timer_kind_name((enum tk_timer_kind)timer->info.kind));
    row[SOURCE] = tk_cell_of_text(timer->info.file);
    if (timer->info.file || timer->info.line)
        row[LINE] = tk_cell_of_uint(timer->info.line);
}

static int64_t displayed_begin(const struct tk_query_context *view, int64_t begin)
{
    return view->query->clip ? tk_select_clip_begin(view->select, begin) : begin;
}

static void fill_times_scopes_table(const struct tk_query_context *view, const struct scope *scope,
                                    struct tk_cell *row)
{
    int64_t begin = displayed_begin(view, scope->begin);
    int64_t end = view->query->clip ? tk_select_clip_end(view->select, scope->end) : scope->end;
    row[START] = tk_query_context_time(view, begin);
    row[DURATION] = tk_query_context_between(view, begin, end);
}

static void fill_place(struct tk_cell *row, uint32_t lane, uint32_t depth, uint64_t id, uint64_t parent)
{
    const uint64_t above = (uint64_t)lane << LANE_SHIFT;
    row[DEPTH] = tk_cell_of_uint(depth);
    row[ID] = tk_cell_of_uint(above | id);
    if (parent)
        row[PARENT_ID] = tk_cell_of_uint(above | parent);
}

static int send_block(struct scopes *s, const struct worker *w, const struct block *block,
                      struct tk_emit *emit, struct tk_err *err)
{
    struct tk_cell owner[COLUMNS] = {{.kind = TK_NONE}};
    fill_owner(s->view, s->gpu, block->thread, owner);
    for (size_t i = 0; i < block->n; i++) {
        const struct scope *scope = &w->scopes.v[block->first + i];
        const struct tk_timer *timer = tk_dict_timer(s->view->dict, scope->timer);
        if (!timer)
            return tk_err_nomem(err, "scopes");
        if (!passes_scopes_table(s, timer, scope->timer))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        memcpy(row, owner, s->gpu ? GPU_COLUMNS * sizeof *row : sizeof owner);
        fill_timer(row, timer);
        fill_times_scopes_table(s->view, scope, row);
        fill_place(row, block->lane, scope->depth, scope->id, scope->parent);
    }
    return TK_OK;
}

/* The worker whose next block is of the lowest lane, or NULL. A lane is one worker's during a batch. */
static struct worker *lowest(struct scopes *s, const size_t *at)
{
    struct worker *best = NULL;
    for (size_t i = 0; i < s->n_workers; i++) {
        struct worker *w = &s->workers[i];
        if (at[i] < w->blocks.n &&
            (!best || w->blocks.v[at[i]].lane < best->blocks.v[at[best - s->workers]].lane))
            best = w;
    }
    return best;
}

static int by_lane(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    return (x->first > y->first) - (x->first < y->first);
}

static int drain(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct scopes *s = self;
    struct worker *w;
    int rc = TK_OK;
    size_t *at = calloc(s->n_workers, sizeof *at);
    if (!at)
        return tk_err_nomem(err, "scopes");
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].blocks.n)
            qsort(s->workers[i].blocks.v, s->workers[i].blocks.n, sizeof *s->workers[i].blocks.v, by_lane);
    while (rc == TK_OK && (w = lowest(s, at)) != NULL)
        rc = send_block(s, w, &w->blocks.v[at[w - s->workers]++], emit, err);
    for (size_t i = 0; i < s->n_workers; i++)
        s->workers[i].scopes.n = s->workers[i].blocks.n = 0;
    free(at);
    return rc;
}

static int add_open(struct scopes *s, const struct tk_lane_end *end, const struct tk_open_scope *scopes,
                    size_t n, struct tk_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct never_ended row = {.thread = end->thread, .lane = end->lane, .open = scopes[i]};
        if (tk_select_touches(s->view->select, row.open.begin, INT64_MAX) && tk_vec_push(&s->open, row))
            return tk_err_nomem(err, "scopes");
    }
    return TK_OK;
}

/* Those that were open where bytes are missing or a thread ended come before those that are open at the end.
 */
static int lane_scopes_table(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct scopes *s = self;
    if (s->gpu != (end->kind != TK_LANE_THREAD))
        return TK_OK;
    int rc = add_open(s, end, end->lost, end->n_lost, err);
    return rc == TK_OK ? add_open(s, end, end->open, end->n_open, err) : rc;
}

static int finish_scopes_table(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct scopes *s = self;
    for (size_t i = 0; i < s->open.n; i++) {
        const struct never_ended *o = &s->open.v[i];
        const struct tk_timer *timer = tk_dict_timer(s->view->dict, o->open.timer);
        if (!timer)
            return tk_err_nomem(err, "scopes");
        if (!passes_scopes_table(s, timer, o->open.timer))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        fill_owner(s->view, s->gpu, o->thread, row);
        fill_timer(row, timer);
        row[START] = tk_query_context_time(s->view, displayed_begin(s->view, o->open.begin));
        fill_place(row, o->lane, o->open.depth, o->open.id, o->open.parent);
    }
    return TK_OK;
}

static void close_scopes_table(void *self)
{
    struct scopes *s = self;
    for (size_t i = 0; s->workers && i < s->n_workers; i++) {
        tk_vec_release(&s->workers[i].scopes);
        tk_vec_release(&s->workers[i].blocks);
    }
    free(s->workers);
    tk_vec_release(&s->passes);
    tk_vec_release(&s->open);
    free(s);
}

static const struct tk_scope_hooks scope_hooks = {
    .take = take_scopes_table, .lane = lane_scopes_table, .drain = drain};

#define SCOPE_TABLE(of, kind, is)                                                                            \
    {                                                                                                        \
        .table = (of),                                                                                       \
        .needs = {.facts = TK_FACT_MASK(kind),                                                               \
                  .slices = TK_SLICE_BEGIN | TK_SLICE_PLACE,                                                 \
                  .order = (is),                                                                             \
                  .streams = true},                                                                          \
        .scopes = &scope_hooks, .open = open_scopes_table, .finish = finish_scopes_table,                    \
        .close = close_scopes_table                                                                          \
    }

const struct tk_builder tk_builder_scopes = SCOPE_TABLE(&table, SCOPES, TK_NEEDS_FILE_ORDER);
const struct tk_builder tk_builder_gpu_scopes = SCOPE_TABLE(&gpu_table, GPU_SCOPES, TK_NEEDS_SEQ_ORDER);
