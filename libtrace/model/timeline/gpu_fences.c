/*
 * Table `gpu_fences`: waits of GPU queues for fences of others, with the signal that each waited for: the
 * first of the other queue whose value is not less. In the order in which the waits were recorded.
 */
#include "base/sort.h"
#include "model/timeline/fence_signals.h"
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

/*
 * Signals of fences.
 */

int tk_fence_signals_add(struct tk_fence_signals *s, const struct tk_fact *fact)
{
    const struct tk_fence_signal signal = {fact->time, fact->u.gpu.number};
    if (tk_vec_reach(&s->queues, (size_t)fact->u.gpu.queue + 1))
        return -1;
    struct tk_queue_signals *queue = &s->queues.v[fact->u.gpu.queue];
    if (queue->v.n && queue->v.v[queue->v.n - 1].value >= signal.value)
        return 0;
    if (!tk_row_limit_for(&s->capacity, s->n))
        return 0;
    s->n++;
    return tk_vec_push(&queue->v, signal);
}

const struct tk_fence_signal *tk_fence_signal_find(const struct tk_fence_signals *s, uint32_t queue,
                                                   uint64_t value)
{
    if (queue >= s->queues.n)
        return NULL;
    const struct tk_queue_signals *signals = &s->queues.v[queue];
    size_t at;
    TK_SEARCH(at, signals->v.n, signals->v.v[at].value < value);
    return at < signals->v.n ? &signals->v.v[at] : NULL;
}

void tk_fence_signals_release(struct tk_fence_signals *s)
{
    for (size_t i = 0; i < s->queues.n; i++)
        tk_vec_release(&s->queues.v[i].v);
    tk_vec_release(&s->queues);
}

enum { QUEUE_ID, QUEUE, TIME, VALUE, OTHER_ID, OTHER, SIGNAL_TIME, SIGNAL_VALUE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [QUEUE_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue that waits"},
    [QUEUE] = {"queue", TK_TEXT, 0, NULL, "its name"},
    [TIME] = {"time", TK_TIME, 0, NULL, "when it reached the fence"},
    [VALUE] = {"value", TK_UINT, 0, NULL, "value that it waits for"},
    [OTHER_ID] = {"other_id", TK_UINT, 0, NULL, "id of the GPU queue that it waits for"},
    [OTHER] = {"other", TK_TEXT, 0, NULL, "its name"},
    [SIGNAL_TIME] = {"signal_time", TK_TIME, 0, NULL,
                     "when the other queue signalled the fence; empty if it never did"},
    [SIGNAL_VALUE] = {"signal_value", TK_UINT, TK_COL_EXTRA, NULL, "value that was signalled"},
};

static const struct tk_table table = {
    .name = "gpu_fences",
    .help = "fences that GPU queues waited for",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

struct fence {
    int64_t time;
    uint64_t value;
    uint32_t queue, other;
};

struct fences {
    struct tk_collector g;
    struct tk_fence_signals signals;
    TK_VEC(struct fence) rows;
};

static int start_gpu_fences(void *self)
{
    struct fences *f = self;
    f->signals.capacity = f->g.capacity;
    return 0;
}

static int add_fence(struct fences *f, const struct tk_fact *fact)
{
    struct fence row = {fact->time, fact->u.gpu.number, fact->u.gpu.queue, fact->u.gpu.other};
    if (!tk_select_has(f->g.view->select, fact->time) || !tk_row_limit_for(&f->g.capacity, f->rows.n))
        return 0;
    return tk_vec_push(&f->rows, row);
}

static int take_gpu_fences(void *self, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_GPU && fact->u.gpu.what == TK_GPU_SIGNAL)
        return tk_fence_signals_add(&((struct fences *)self)->signals, fact);
    if (fact->kind == TK_FACT_GPU && fact->u.gpu.what == TK_GPU_FENCE)
        return add_fence(self, fact);
    return 0;
}

static void fill_gpu_fences(const void *self, const void *thing, struct tk_cell *row)
{
    const struct fences *f = self;
    const struct fence *fence = thing;
    const struct tk_fence_signal *signal = tk_fence_signal_find(&f->signals, fence->other, fence->value);
    tk_query_context_queue(f->g.view, fence->queue, &row[QUEUE_ID]);
    tk_query_context_queue(f->g.view, fence->other, &row[OTHER_ID]);
    row[TIME] = tk_query_context_time(f->g.view, fence->time);
    row[VALUE] = tk_cell_of_uint(fence->value);
    if (signal) {
        row[SIGNAL_TIME] = tk_query_context_time(f->g.view, signal->time);
        row[SIGNAL_VALUE] = tk_cell_of_uint(signal->value);
    }
}

static void release_gpu_fences(void *self)
{
    tk_fence_signals_release(&((struct fences *)self)->signals);
}

static const struct tk_collecting gathering = {
    .what = "fences",
    .start = start_gpu_fences,
    .take = take_gpu_fences,
    .release = release_gpu_fences,
    TK_COLLECTOR_ROWS(struct fences, rows),
    .fill = fill_gpu_fences,
};

const struct tk_builder tk_builder_gpu_fences = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(GPU), .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
