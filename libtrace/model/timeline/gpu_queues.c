/*
 * Table `gpu_queues`: what each queue of a GPU did; a row a queue. Work and waits come as slices; when the
 * program handed the work over, frames and fences as facts.
 *
 * A queue is idle from the end of all that it had to the moment when the program hands over the next work;
 * where that moment is earlier, it was not idle. A queue without separate records of its work worked while it
 * had a scope; what only the facts say is then not known.
 */
#include "base/health/limits.h"
#include "model/sums/timer_sums.h"
#include "query/context_cells.h"
#include "query/tables.h"

#include <stdlib.h>

enum {
    QUEUE_ID,
    QUEUE,
    GPU,
    TYPE,
    INDEX,
    WORKS,
    WORK,
    BUSY,
    WAITS,
    WAITING,
    IDLE,
    FRAMES,
    BAD_FRAMES,
    DROPPED,
    DRAWS,
    PRIMITIVES,
    SIGNALS,
    FENCES,
    COLUMNS
};

static const struct tk_column columns[COLUMNS] = {
    [QUEUE_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the queue in the capture"},
    [QUEUE] = {"queue", TK_TEXT, 0, NULL, "name of the queue"},
    [GPU] = {"gpu", TK_UINT, TK_COL_EXTRA, NULL, "number of its GPU, from 0"},
    [TYPE] = {"type", TK_TEXT, TK_COL_EXTRA, NULL, "type of the queue, as recorded"},
    [INDEX] = {"index", TK_UINT, TK_COL_EXTRA, NULL, "number among the queues of its type, from 0"},
    [WORKS] = {"work_items", TK_UINT, 0, "works",
               "completed work items; outermost scopes if no work was recorded"},
    [WORK] = {"work", TK_DURATION, 0, NULL, "total duration of these"},
    [BUSY] = {"busy", TK_DURATION, 0, NULL, "work without the waits inside it, or time inside scopes"},
    [WAITS] = {"waits", TK_UINT, 0, "waits", "waits for other queues"},
    [WAITING] = {"waiting", TK_DURATION, 0, NULL, "total duration of these"},
    [IDLE] = {"idle", TK_DURATION, 0, NULL, "idle time: from the end of all work until more was submitted"},
    [FRAMES] = {"frames", TK_UINT, 0, "frames", "number of frame ends"},
    [BAD_FRAMES] = {"invalid_frames", TK_UINT, TK_COL_EXTRA, "frames", "frames with unusable timestamps"},
    [DROPPED] = {"dropped", TK_UINT, TK_COL_EXTRA, "times", "unusable timestamps"},
    [DRAWS] = {"draws", TK_UINT, 0, "draws", "draw calls"},
    [PRIMITIVES] = {"primitives", TK_UINT, 0, "primitives", "primitives drawn"},
    [SIGNALS] = {"signals", TK_UINT, 0, "fences", "number of fences that it signalled"},
    [FENCES] = {"fences", TK_UINT, 0, "fences", "number of fences that it waited for"},
};

static const struct tk_table table = {
    .name = "gpu_queues",
    .schema = 2,
    .help = "GPU queues: work, waiting, idle time, frames, draws",
    .columns = columns,
    .n_columns = COLUMNS,
};

/* Of one timer kind on the work lane of a queue. */
struct sum {
    uint64_t count, total, excl;
};

struct queue {
    struct sum work, wait;
    struct sum scopes;    /* those that lie in no other; excl: time inside scopes */
    bool works, reported; /* is there work, and are there facts of it? */
    uint64_t idle;
    uint64_t frames, bad_frames, dropped, draws, primitives, signals, fences;
};

struct queues {
    const struct tk_query_context *view;
    TK_VEC(struct queue) queues;   /* by id */
    struct tk_timer_sum_sets sets; /* by lane; NULL: not a work lane */
    TK_VEC(struct sum) roots;      /* by lane: scopes that lie in no other */
};

static int open_gpu_queues(const struct tk_query_context *view, const struct tk_builder *builder,
                           uint64_t wanted, void **self, struct tk_err *err)
{
    struct queues *q = calloc(1, sizeof *q);
    (void)builder;
    (void)wanted;
    if (!q)
        return tk_err_nomem(err, "GPU queues");
    q->view = view;
    *self = q;
    return TK_OK;
}

static void close_gpu_queues(void *self)
{
    struct queues *q = self;
    tk_timer_sum_sets_release(&q->sets);
    tk_vec_release(&q->roots);
    tk_vec_release(&q->queues);
    free(q);
}

static struct queue *queue_at(struct queues *q, uint32_t id)
{
    if (tk_vec_reach(&q->queues, (size_t)id + 1))
        return NULL;
    return &q->queues.v[id];
}

/* ---- facts ---- */

static void take_submit(const struct queues *q, struct queue *to, const struct tk_fact_gpu *gpu)
{
    const struct tk_select *select = q->view->select;
    if (gpu->has_before && gpu->stamp > gpu->before)
        to->idle +=
            (uint64_t)tk_select_before(select, gpu->stamp) - (uint64_t)tk_select_before(select, gpu->before);
}

static void take_frame(struct queue *to, const struct tk_fact_gpu *gpu)
{
    to->works |= gpu->work >= 0;
    to->frames += !gpu->partial;
    to->bad_frames += gpu->dropped != 0;
    to->dropped += gpu->dropped;
    to->draws += gpu->draws;
    to->primitives += gpu->primitives;
}

static bool is_selected_gpu_queues(const struct queues *q, const struct tk_fact *fact)
{
    const struct tk_fact_gpu *gpu = &fact->u.gpu;
    if (gpu->what == TK_GPU_SUBMIT || q->view->select->all_time)
        return true;
    return (gpu->what != TK_GPU_FRAME || gpu->timed) && tk_select_has(q->view->select, fact->time);
}

static int take_fact(struct queues *q, const struct tk_fact *fact)
{
    const struct tk_fact_gpu *gpu = &fact->u.gpu;
    struct queue *to = queue_at(q, gpu->queue);
    if (!to)
        return -1;
    to->reported = true;
    if (!is_selected_gpu_queues(q, fact))
        return 0;
    if (gpu->what == TK_GPU_SUBMIT)
        take_submit(q, to, gpu);
    else if (gpu->what == TK_GPU_FRAME)
        take_frame(to, gpu);
    to->signals += gpu->what == TK_GPU_SIGNAL;
    to->fences += gpu->what == TK_GPU_FENCE;
    return 0;
}

/* Time that scopes of several lanes of a queue have is that of one. */
static int take_overlap(struct queues *q, const struct tk_fact *fact)
{
    const struct tk_select *select = q->view->select;
    struct queue *to = queue_at(q, fact->thread);
    if (!to)
        return -1;
    to->scopes.excl -= (uint64_t)tk_select_before(select, fact->u.overlap.end) -
                       (uint64_t)tk_select_before(select, fact->time);
    return 0;
}

static int make_set(struct queues *q, const struct tk_scope_run *run)
{
    bool fresh;
    if (run->kind == TK_LANE_GPU)
        return tk_vec_reach(&q->roots, (size_t)run->lane + 1);
    return tk_timer_sum_sets_at(&q->sets, run->lane, &fresh) ? 0 : -1;
}

static int feed_gpu_queues(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct queues *q = self;
    int rc = 0;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts && rc == 0; i++)
        if (batch->facts[i].kind == TK_FACT_GPU)
            rc = take_fact(q, &batch->facts[i]);
        else if (batch->facts[i].kind == TK_FACT_OVERLAP && batch->facts[i].u.overlap.kind == TK_LANE_GPU)
            rc = take_overlap(q, &batch->facts[i]);
    for (size_t i = 0; i < batch->n_runs && rc == 0; i++)
        if (batch->runs[i].kind != TK_LANE_THREAD)
            rc = make_set(q, &batch->runs[i]);
    return rc ? tk_err_nomem(err, "GPU queues") : TK_OK;
}

/* ---- slices ---- */

static void take_roots(struct sum *roots, const struct tk_slices *slices)
{
    for (size_t i = 0; i < slices->n; i++) {
        roots->count += !slices->depth[i];
        roots->total += slices->depth[i] ? 0 : slices->total[i];
    }
}

static int take_gpu_queues(void *self, const struct tk_slices *slices, unsigned worker)
{
    struct queues *q = self;
    (void)worker;
    if (slices->kind == TK_LANE_GPU)
        take_roots(&q->roots.v[slices->lane], slices);
    if (slices->kind != TK_LANE_GPU_WORK)
        return TK_OK;
    return tk_timer_sum_take(q->sets.list.v[slices->lane], slices) ? TK_ENOMEM : TK_OK;
}

static int lane_gpu_queues(void *self, const struct tk_lane_end *end, struct tk_err *err)
{
    struct queues *q = self;
    struct tk_timer_sum_entry e;
    if (end->kind == TK_LANE_THREAD)
        return TK_OK;
    struct queue *to = queue_at(q, end->thread);
    if (!to)
        return tk_err_nomem(err, "GPU queues");
    if (end->kind == TK_LANE_GPU) {
        to->scopes.count += q->roots.v[end->lane].count;
        to->scopes.total += q->roots.v[end->lane].total;
        to->scopes.excl += (uint64_t)end->covered;
        return TK_OK;
    }
    to->works = true;
    for (size_t at = 0; tk_timer_sum_next(q->sets.list.v[end->lane], &at, &e);) {
        const struct tk_timer *timer = tk_dict_timer(q->view->dict, e.timer);
        if (!timer)
            return tk_err_nomem(err, "GPU queues");
        struct sum *sum = timer->info.kind == TK_TIMER_GPU_WAIT ? &to->wait : &to->work;
        sum->count += e.cell->count;
        sum->total += e.cell->total;
        sum->excl += e.cell->excl;
    }
    return TK_OK;
}

/* ---- rows ---- */

static void fill_gpu_queues(const struct tk_query_context *view, const struct tk_fact_gpu_queue *info,
                            const struct queue *q, struct tk_cell *row)
{
    row[QUEUE_ID] = tk_cell_of_uint(info->key);
    row[QUEUE] = tk_cell_of_text(info->name);
    row[GPU] = tk_cell_of_uint(info->gpu);
    row[TYPE] = tk_cell_of_text(info->type);
    row[INDEX] = tk_cell_of_uint(info->index);
    const struct sum *work = q->works ? &q->work : &q->scopes;
    row[WORKS] = tk_cell_of_uint(work->count);
    row[WORK] = tk_query_context_span(view, (int64_t)work->total);
    row[BUSY] = tk_query_context_span(view, (int64_t)work->excl);
    const bool reported = q->works || (q->reported && !q->scopes.count);
    if (reported) {
        row[WAITS] = tk_cell_of_uint(q->wait.count);
        row[WAITING] = tk_query_context_span(view, (int64_t)q->wait.total);
        row[IDLE] = tk_query_context_span(view, (int64_t)q->idle);
    }
    if (!reported && !q->reported)
        return;
    row[FRAMES] = tk_cell_of_uint(q->frames);
    row[BAD_FRAMES] = tk_cell_of_uint(q->bad_frames);
    row[DROPPED] = tk_cell_of_uint(q->dropped);
    row[DRAWS] = tk_cell_of_uint(q->draws);
    row[PRIMITIVES] = tk_cell_of_uint(q->primitives);
    row[SIGNALS] = tk_cell_of_uint(q->signals);
    row[FENCES] = tk_cell_of_uint(q->fences);
}

static int finish_gpu_queues(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct queues *q = self;
    const struct tk_dict *dict = q->view->dict;
    const struct queue nothing = {0};
    (void)err;
    for (size_t i = 0; i < dict->queues.n; i++) {
        if (!tk_dict_queue(dict, (uint32_t)i) || !tk_select_queue(q->view->select, dict, (uint32_t)i))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        fill_gpu_queues(q->view, &dict->queues.v[i], i < q->queues.n ? &q->queues.v[i] : &nothing, row);
    }
    return tk_emit_status(emit);
}

static const struct tk_scope_hooks scope_hooks = {.take = take_gpu_queues, .lane = lane_gpu_queues};

const struct tk_builder tk_builder_gpu_queues = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(GPU_SCOPES) | TK_FACT_MASK(GPU) | TK_FACT_MASK(OVERLAP),
              .slices = TK_SLICE_PLACE,
              .order = TK_NEEDS_SEQ_ORDER},
    .scopes = &scope_hooks,
    .open = open_gpu_queues,
    .feed = feed_gpu_queues,
    .finish = finish_gpu_queues,
    .close = close_gpu_queues,
};
