/*
 * Table `frames`: the frames of all types, in order of their begins.
 */
#include "model/marks/frame_list.h"
#include "model/tables.h"
#include "query/collector.h"
#include "query/context_cells.h"

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

struct frames {
    struct tk_collector g;
    struct tk_frame_list list;
};

static int start_frames(void *self)
{
    struct frames *f = self;
    tk_frame_list_init(&f->list, f->g.view->ctx, table.name);
    return 0;
}

static int take_frames(void *self, const struct tk_fact *fact)
{
    return tk_frame_list_feed(&((struct frames *)self)->list, fact, NULL);
}

static bool is_shown_frames(const void *self, const void *thing)
{
    const struct frames *f = self;
    const struct tk_frame *frame = thing;
    return tk_select_touches(f->g.view->select, frame->begin, frame->open ? INT64_MAX : frame->end);
}

static void fill_frames(const void *self, const void *thing, struct tk_cell *row)
{
    const struct frames *f = self;
    const struct tk_frame *frame = thing;
    const struct tk_frame_type *type = &f->list.types.v[frame->type];
    row[TYPE] = tk_cell_of_uint(type->id);
    row[INDEX] = tk_cell_of_uint(frame->index);
    row[BEGIN] = tk_query_context_time(f->g.view, frame->begin);
    row[TYPE_NAME] = tk_cell_of_text(type->name);
    if (frame->open)
        return;
    row[END] = tk_query_context_time(f->g.view, frame->end);
    row[DURATION] = tk_query_context_between(f->g.view, frame->begin, frame->end);
}

static int settle_frames(void *self)
{
    return tk_frame_list_pair(&((struct frames *)self)->list, NULL);
}

static void release_frames(void *self)
{
    tk_frame_list_release(&((struct frames *)self)->list);
}

static const struct tk_collecting gathering = {
    .what = "frames",
    .start = start_frames,
    .take = take_frames,
    .settle = settle_frames,
    .release = release_frames,
    TK_COLLECTOR_ROWS(struct frames, list.frames),
    .shown = is_shown_frames,
    .fill = fill_frames,
};

const struct tk_builder tk_builder_frames = {
    .table = &table,
    .facts = TK_FACT_MASK(FRAME),
    TK_COLLECTS(gathering),
};
