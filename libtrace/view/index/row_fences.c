/*
 * Fences of GPU queues: from when a queue reached one to the signal that it waited for. Those that were
 * signalled before it came are no wait.
 */
#include "table/cell.h"
#include "view/index/index_in.h"

enum { QUEUE_ID, QUEUE, TIME, OTHER, SIGNAL_TIME };

static int take_fence(struct tk_index_rows *r, const struct tk_cell *cells)
{
    const bool signalled = cells[SIGNAL_TIME].kind == TK_TIME;
    if (cells[TIME].kind != TK_TIME || (signalled && cells[SIGNAL_TIME].v.i <= cells[TIME].v.i))
        return TK_OK;
    const struct tk_index_span_lane lane = {TK_INDEX_FENCE, (uint32_t)cells[QUEUE_ID].v.u,
                                            tk_cell_text(&cells[QUEUE])};
    return tk_index_rows_span(r, &lane, cells[TIME].v.i, signalled ? cells[SIGNAL_TIME].v.i : INT64_MAX,
                              tk_cell_text(&cells[OTHER]), " is waited for");
}

const struct tk_index_row_kind tk_index_row_fences = {
    .name = "fence",
    .table = "gpu_fences",
    .facts = TK_FACT_MASK(GPU),
    .columns = {"queue_id", "queue", "time", "other", "signal_time"},
    .take = take_fence,
};
