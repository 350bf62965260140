/*
 * Loading: requests to load packages, in one lane, each with the number of its packages.
 */
#include "table/cell.h"
#include "view/index/index_in.h"

#include <inttypes.h>
#include <stdio.h>

enum { START, END, GROUP, PACKAGES };

static int take_request(struct tk_index_rows *r, const struct tk_cell *cells)
{
    const struct tk_index_span_lane lane = {TK_INDEX_REQUEST, 0, tk_index_text("requests")};
    const bool ended = cells[END].kind == TK_TIME, named = cells[GROUP].kind == TK_TEXT && cells[GROUP].n;
    char more[40] = "";
    if (cells[START].kind != TK_TIME || (ended && cells[END].v.i < cells[START].v.i))
        return TK_OK;
    if (cells[PACKAGES].kind == TK_UINT)
        snprintf(more, sizeof more, " (%" PRIu64 " package%s)", cells[PACKAGES].v.u,
                 cells[PACKAGES].v.u == 1 ? "" : "s");
    return tk_index_rows_span(r, &lane, cells[START].v.i, ended ? cells[END].v.i : INT64_MAX,
                              named ? tk_cell_text(&cells[GROUP]) : tk_index_text("load request"), more);
}

const struct tk_index_row_kind tk_index_row_requests = {
    .name = "request",
    .table = "load_requests",
    .facts = TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP),
    .columns = {"start", "end", "group", "packages"},
    .take = take_request,
};
