/*
 * Table `gpu_frames`: ends of frames on the queues of GPUs, with what was drawn since the end before, in the
 * order in which they were recorded. The rest at the end of the capture has no number.
 */
#include "query/collector.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum { QUEUE_ID, QUEUE, FRAME, TIME, WORK, WAITING, DRAWS, PRIMITIVES, DROPPED, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [QUEUE_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue in the capture"},
    [QUEUE] = {"queue", TK_TEXT, 0, NULL, "name of the GPU queue"},
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the ending frame; empty for the remainder at the end"},
    [TIME] = {"time", TK_TIME, 0, NULL,
              "last time of the queue before the frame end; empty if there is none"},
    [WORK] = {"work", TK_DURATION, 0, NULL,
              "duration of the work that ended since the previous frame end; empty if not recorded"},
    [WAITING] = {"waiting", TK_DURATION, 0, NULL,
                 "duration of the waits that ended since then, partly inside work"},
    [DRAWS] = {"draws", TK_UINT, 0, "draws", "draw calls since the previous frame end"},
    [PRIMITIVES] = {"primitives", TK_UINT, 0, "primitives", "primitives drawn since then"},
    [DROPPED] = {"dropped", TK_UINT, TK_COL_EXTRA, "times", "unusable timestamps since then"},
};

static const struct tk_table table = {
    .name = "gpu_frames",
    .help = "frames of GPU queues",
    .columns = columns,
    .n_columns = COLUMNS,
};

struct frame {
    int64_t time;
    struct tk_fact_gpu info;
};

struct frames {
    struct tk_collector g;
    TK_VEC(struct frame) rows;
};

static bool is_selected_gpu_frames(const struct tk_query_context *view, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_GPU || fact->u.gpu.what != TK_GPU_FRAME)
        return false;
    return view->select->all_time || (fact->u.gpu.timed && tk_select_has(view->select, fact->time));
}

static int take_gpu_frames(void *self, const struct tk_fact *fact)
{
    struct frames *f = self;
    if (!is_selected_gpu_frames(f->g.view, fact) || !tk_row_limit_for(&f->g.capacity, f->rows.n))
        return 0;
    struct frame row = {fact->time, fact->u.gpu};
    return tk_vec_push(&f->rows, row);
}

static void fill_gpu_frames(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_query_context *view = ((const struct frames *)self)->g.view;
    const struct frame *frame = thing;
    const struct tk_fact_gpu *info = &frame->info;
    tk_query_context_queue(view, info->queue, &row[QUEUE_ID]);
    if (!info->partial)
        row[FRAME] = tk_cell_of_uint(info->number);
    if (info->timed)
        row[TIME] = tk_query_context_time(view, frame->time);
    if (info->work >= 0) {
        row[WORK] = tk_query_context_span(view, info->work);
        row[WAITING] = tk_query_context_span(view, info->waiting);
    }
    row[DRAWS] = tk_cell_of_uint(info->draws);
    row[PRIMITIVES] = tk_cell_of_uint(info->primitives);
    row[DROPPED] = tk_cell_of_uint(info->dropped);
}

static const struct tk_collecting gathering = {
    .what = "frames of GPU queues",
    .take = take_gpu_frames,
    TK_COLLECTOR_ROWS(struct frames, rows),
    .fill = fill_gpu_frames,
};

const struct tk_builder tk_builder_gpu_frames = {
    .table = &table,
    .needs = {.facts = TK_FACT_MASK(GPU), .order = TK_NEEDS_SEQ_ORDER},
    TK_COLLECTS(gathering),
};
