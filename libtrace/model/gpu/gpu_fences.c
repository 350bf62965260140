/*
 * Table `gpu_fences`: waits of GPU queues for fences of others, with the signal that each waited for: the
 * first of the other queue whose value is not less. In the order in which the waits were recorded.
 */
#include "base/binary_search.h"
#include "model/tables.h"
#include "query/collector.h"
#include "query/context_cells.h"

enum { QUEUE_ID, QUEUE, TIME, VALUE, OTHER_ID, OTHER, SIGNAL_TIME, SIGNAL_VALUE, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [QUEUE_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue that waits"},
    [QUEUE] = {"queue", TK_TEXT, 0, NULL, "its name"},
    [TIME] = {"time", TK_TIME, 0, NULL, "when it came to the fence"},
    [VALUE] = {"value", TK_UINT, 0, NULL, "value that the fence shall have at least"},
    [OTHER_ID] = {"other_id", TK_UINT, 0, NULL, "id of the GPU queue that it waits for"},
    [OTHER] = {"other", TK_TEXT, 0, NULL, "its name"},
    [SIGNAL_TIME] = {"signal_time", TK_TIME, 0, NULL, "when that set the fence; empty where it never did"},
    [SIGNAL_VALUE] = {"signal_value", TK_UINT, TK_COL_EXTRA, NULL, "the value that it set"},
};

static const struct tk_table table = {
    .name = "gpu_fences",
    .help = "fences that GPU queues waited for",
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

struct signal {
    int64_t time;
    uint64_t value;
};

/* Signals whose value is greater than that of all before: no other can be the first. */
struct signals {
    TK_VEC(struct signal) v;
};

struct fence {
    int64_t time;
    uint64_t value;
    uint32_t queue, other;
};

struct fences {
    struct tk_collector g;
    TK_VEC(struct signals) signals; /* by queue */
    TK_VEC(struct fence) rows;
    struct tk_row_limit signal_room;
    size_t n_signals;
};

static int start_gpu_fences(void *self)
{
    struct fences *f = self;
    f->signal_room = f->g.room;
    return 0;
}

static int add_signal(struct fences *f, const struct tk_fact *fact)
{
    const struct tk_fact_gpu *gpu = &fact->u.gpu;
    struct signal signal = {fact->time, gpu->number};
    if (tk_vec_reach(&f->signals, (size_t)gpu->queue + 1))
        return -1;
    struct signals *s = &f->signals.v[gpu->queue];
    if (s->v.n && s->v.v[s->v.n - 1].value >= signal.value)
        return 0;
    if (!tk_row_limit_for(&f->signal_room, f->n_signals))
        return 0;
    f->n_signals++;
    return tk_vec_push(&s->v, signal);
}

static int add_fence(struct fences *f, const struct tk_fact *fact)
{
    struct fence row = {fact->time, fact->u.gpu.number, fact->u.gpu.queue, fact->u.gpu.other};
    if (!tk_select_has(f->g.view->select, fact->time) || !tk_row_limit_for(&f->g.room, f->rows.n))
        return 0;
    return tk_vec_push(&f->rows, row);
}

static int take_gpu_fences(void *self, const struct tk_fact *fact)
{
    if (fact->kind == TK_FACT_GPU && fact->u.gpu.what == TK_GPU_SIGNAL)
        return add_signal(self, fact);
    if (fact->kind == TK_FACT_GPU && fact->u.gpu.what == TK_GPU_FENCE)
        return add_fence(self, fact);
    return 0;
}

/* The first signal with this value or more, or NULL. */
static const struct signal *find_gpu_fences(const struct fences *f, uint32_t queue, uint64_t value)
{
    if (queue >= f->signals.n)
        return NULL;
    const struct signals *s = &f->signals.v[queue];
    size_t at;
    TK_SEARCH(at, s->v.n, s->v.v[at].value < value);
    return at < s->v.n ? &s->v.v[at] : NULL;
}

static void fill_gpu_fences(const void *self, const void *thing, struct tk_cell *row)
{
    const struct fences *f = self;
    const struct fence *fence = thing;
    const struct signal *signal = find_gpu_fences(f, fence->other, fence->value);
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
    struct fences *f = self;
    for (size_t i = 0; i < f->signals.n; i++)
        tk_vec_release(&f->signals.v[i].v);
    tk_vec_release(&f->signals);
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
    .facts = TK_FACT_MASK(GPU),
    .traits = TK_BUILDER_SERIAL,
    TK_COLLECTS(gathering),
};
