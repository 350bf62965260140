/*
 * Table `gpu_frames`: ends of frames on the queues of GPUs, with what was drawn since the end before, in the
 * order in which they were told. What is left at the end of the capture has no number.
 */
#include "model/builders.h"
#include "model/room.h"
#include "model/view.h"

#include <stdlib.h>

enum { QUEUE_ID, QUEUE, FRAME, TIME, DRAWS, PRIMITIVES, DROPPED, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [QUEUE_ID] = {"queue_id", TK_UINT, 0, NULL, "id of the GPU queue in the capture"},
    [QUEUE] = {"queue", TK_TEXT, 0, NULL, "name of the GPU queue"},
    [FRAME] = {"frame", TK_UINT, 0, NULL, "number of the frame that ends; empty for what is left at the end"},
    [TIME] = {"time", TK_TIME, 0, NULL, "last time of the queue before; empty where there is none"},
    [DRAWS] = {"draws", TK_UINT, 0, "draws", "draw calls since the end before"},
    [PRIMITIVES] = {"primitives", TK_UINT, 0, "primitives", "primitives drawn since then"},
    [DROPPED] = {"dropped", TK_UINT, TK_COL_EXTRA, "times", "times since then that are of no use"},
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
    const struct tk_view *view;
    TK_VEC(struct frame) rows;
    struct tk_room room;
};

static int open(const struct tk_view *view, uint64_t wanted, void **self, struct tk_err *err)
{
    struct frames *f = calloc(1, sizeof *f);
    (void)wanted;
    if (!f)
        return tk_err_nomem(err, "frames of GPU queues");
    f->view = view;
    f->room = tk_view_room(view, table.name);
    *self = f;
    return TK_OK;
}

static bool is_selected(const struct tk_view *view, const struct tk_fact *fact)
{
    if (fact->kind != TK_FACT_GPU || fact->u.gpu.what != TK_GPU_FRAME)
        return false;
    return view->select->all_time || (fact->u.gpu.timed && tk_select_has(view->select, fact->time));
}

static int feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err)
{
    struct frames *f = self;
    (void)emit;
    for (size_t i = 0; i < batch->n_facts; i++) {
        struct frame row = {batch->facts[i].time, batch->facts[i].u.gpu};
        if (is_selected(f->view, &batch->facts[i]) && tk_room_for(&f->room, f->rows.n) &&
            tk_vec_push(&f->rows, row))
            return tk_err_nomem(err, "frames of GPU queues");
    }
    return TK_OK;
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct frames *f = self;
    (void)err;
    for (size_t i = 0; i < f->rows.n; i++) {
        const struct tk_fact_gpu *info = &f->rows.v[i].info;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            break;
        tk_view_queue(f->view, info->queue, &row[QUEUE_ID]);
        if (!info->partial)
            row[FRAME] = tk_cell_of_uint(info->number);
        if (info->timed)
            row[TIME] = tk_view_time(f->view, f->rows.v[i].time);
        row[DRAWS] = tk_cell_of_uint(info->draws);
        row[PRIMITIVES] = tk_cell_of_uint(info->primitives);
        row[DROPPED] = tk_cell_of_uint(info->dropped);
    }
    return tk_emit_status(emit);
}

static void close(void *self)
{
    struct frames *f = self;
    tk_vec_release(&f->rows);
    free(f);
}

const struct tk_builder tk_builder_gpu_frames = {
    .table = &table,
    .facts = TK_FACT_MASK(GPU),
    .serial = true,
    .open = open,
    .feed = feed,
    .finish = finish,
    .close = close,
};
