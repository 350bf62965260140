/*
 * Tasks that wait to run: from their launch to their start, in one lane. What they do while they run is on
 * the lanes of threads.
 */
#include "table/cell.h"
#include "view/index/index_in.h"

enum { TASK, LAUNCHED, STARTED };

static int take_task(struct tk_index_rows *r, const struct tk_cell *cells)
{
    const struct tk_index_span_lane lane = {TK_INDEX_TASK, 0, tk_index_text("launched tasks")};
    const bool started = cells[STARTED].kind == TK_TIME;
    if (cells[LAUNCHED].kind != TK_TIME || (started && cells[STARTED].v.i < cells[LAUNCHED].v.i))
        return TK_OK;
    return tk_index_rows_span(
        r, &lane, cells[LAUNCHED].v.i, started ? cells[STARTED].v.i : INT64_MAX,
        cells[TASK].kind == TK_TEXT ? tk_cell_text(&cells[TASK]) : tk_index_text("task"), "");
}

const struct tk_index_row_kind tk_index_row_tasks = {
    .name = "task",
    .table = "task_rows",
    .facts = TK_FACT_MASK(TASK),
    .columns = {"task", "launched", "started"},
    .take = take_task,
};
