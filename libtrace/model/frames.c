/*
 * Table `frames`: the frames of all types, in order of their begins.
 */
#include "model/builders.h"
#include "model/frame_list.h"
#include "model/view.h"

enum { TYPE, INDEX, BEGIN, END, DURATION, TYPE_NAME, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TYPE] = {"type", TK_UINT, 0, NULL,
              "type of the frame: 0 game, 1 rendering, others as the capture has them"},
    [INDEX] = {"index", TK_UINT, 0, NULL, "number of the frame among those of its type, from 0"},
    [BEGIN] = {"begin", TK_TIME, 0, NULL, "begin"},
    [END] = {"end", TK_TIME, 0, NULL, "end; empty when it is not in the capture"},
    [DURATION] = {"duration", TK_SPAN, 0, NULL, "from begin to end"},
    [TYPE_NAME] = {"type_name", TK_TEXT, 0, NULL, "name of the type"},
};

static const struct tk_table table = {
    .name = "frames",
    .help = "frames, in order of their begins",
    .columns = columns,
    .n_columns = COLUMNS,
};

static void fill(const struct tk_frame_table *f, const struct tk_frame *frame, struct tk_cell *row)
{
    const struct tk_frame_type *type = &f->list.types.v[frame->type];
    row[TYPE] = tk_cell_of_uint(type->id);
    row[INDEX] = tk_cell_of_uint(frame->index);
    row[BEGIN] = tk_view_time(f->view, frame->begin);
    row[TYPE_NAME] = tk_cell_of_text(type->name);
    if (frame->open)
        return;
    row[END] = tk_view_time(f->view, frame->end);
    row[DURATION] = tk_view_between(f->view, frame->begin, frame->end);
}

static int finish(void *self, struct tk_emit *emit, struct tk_err *err)
{
    struct tk_frame_table *f = self;
    int rc = tk_frame_list_pair(&f->list, err);
    for (size_t i = 0; i < f->list.frames.n && rc == TK_OK; i++) {
        const struct tk_frame *frame = &f->list.frames.v[i];
        if (!tk_select_touches(f->view->select, frame->begin, frame->open ? INT64_MAX : frame->end))
            continue;
        struct tk_cell *row = tk_emit_row(emit);
        if (!row)
            return tk_emit_status(emit);
        fill(f, frame, row);
    }
    return rc;
}

const struct tk_builder tk_builder_frames = {
    .table = &table,
    .facts = TK_FACT_MASK(FRAME),
    .open = tk_frame_table_open,
    .feed = tk_frame_table_feed,
    .finish = finish,
    .close = tk_frame_table_close,
};
