/*
 * Table `frames`: the frames of all types, in order of start.
 */
#include "model/marks/frame_list.h"
#include "query/context_cells.h"
#include "query/tables.h"

enum { TYPE, INDEX, BEGIN, END, DURATION, TYPE_NAME, LOST, COLUMNS };

static const struct tk_column columns[COLUMNS] = {
    [TYPE] = {"type_id", TK_UINT, 0, NULL,
              "type of the frame: 0 game, 1 rendering, others as numbered in the capture"},
    [INDEX] = {"frame", TK_UINT, 0, NULL, "number of the frame within its type, from 0"},
    [BEGIN] = {"start", TK_TIME, 0, NULL, "when it starts"},
    [END] = {"end", TK_TIME, 0, NULL, "end; empty if it is not in the capture"},
    [DURATION] = {"dur", TK_DURATION, 0, NULL, "duration"},
    [TYPE_NAME] = {"type", TK_TEXT, 0, NULL, "name of the type"},
    [LOST] = {"lost", TK_BOOL, TK_COL_OPTIONAL, NULL, "true: events were lost in it; else empty"},
};

static const struct tk_table table = {
    .name = "frames",
    .help = "frames, in order of start",
    .schema = 2,
    .columns = columns,
    .n_columns = COLUMNS,
    .flags = TK_TABLE_EACH,
};

static bool is_visible_frames(const void *self, const void *thing)
{
    const struct tk_frame_collector *f = self;
    const struct tk_frame *frame = thing;
    return tk_select_touches(f->g.view->select, frame->begin, frame->open ? INT64_MAX : frame->end);
}

static void fill_frames(const void *self, const void *thing, struct tk_cell *row)
{
    const struct tk_frame_collector *f = self;
    const struct tk_frame *frame = thing;
    const struct tk_frame_type *type = &f->list.types.v[frame->type];
    row[TYPE] = tk_cell_of_uint(type->id);
    row[INDEX] = tk_cell_of_uint(frame->index);
    row[BEGIN] = tk_query_context_time(f->g.view, frame->begin);
    row[TYPE_NAME] = tk_cell_of_text(type->name);
    if (frame->lossy)
        row[LOST] = tk_cell_of_bool(true);
    if (frame->open)
        return;
    row[END] = tk_query_context_time(f->g.view, frame->end);
    row[DURATION] = tk_query_context_between(f->g.view, frame->begin, frame->end);
}

static const struct tk_collecting gathering = {
    TK_COLLECTS_FRAMES,
    TK_COLLECTOR_ROWS(struct tk_frame_collector, list.frames),
    .displayed = is_visible_frames,
    .fill = fill_frames,
};

const struct tk_builder tk_builder_frames = {
    .table = &table,
    .needs = {.facts = TK_FRAME_FACTS},
    TK_COLLECTS(gathering),
};
