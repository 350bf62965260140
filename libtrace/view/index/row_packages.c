/*
 * Loading: each package from its first step to its last, in one lane.
 */
#include "table/cell.h"
#include "view/index/index_in.h"

enum { NAME, FIRST, LAST };

static int take_package(struct tk_index_rows *r, const struct tk_cell *cells)
{
    const struct tk_index_span_lane lane = {TK_INDEX_PACKAGE, 0, tk_index_text("packages")};
    if (cells[FIRST].kind != TK_TIME || cells[LAST].kind != TK_TIME || cells[LAST].v.i < cells[FIRST].v.i)
        return TK_OK;
    return tk_index_rows_span(
        r, &lane, cells[FIRST].v.i, cells[LAST].v.i,
        cells[NAME].kind == TK_TEXT ? tk_cell_text(&cells[NAME]) : tk_index_text("unknown package"), "");
}

const struct tk_index_row_kind tk_index_row_packages = {
    .name = "package",
    .table = "packages",
    .facts = TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP),
    .columns = {"name", "first", "last"},
    .take = take_package,
};
