/*
 * Accesses to files: a lane for each kind of access.
 */
#include "table/cell.h"
#include "view/index/index_in.h"

enum { START, END, OP, PATH };

/* As the column says them. */
static const char *const accesses[] = {"open", "reopen", "close", "read", "write"};

enum { ACCESSES = sizeof accesses / sizeof *accesses };

static uint32_t access_of(const struct tk_cell *op)
{
    uint32_t i = 0;
    while (i < ACCESSES &&
           (op->kind != TK_TEXT || op->n != strlen(accesses[i]) || memcmp(op->v.p, accesses[i], op->n) != 0))
        i++;
    return i;
}

static int take_file(struct tk_index_rows *r, const struct tk_cell *cells)
{
    const uint32_t access = access_of(&cells[OP]);
    const struct tk_index_span_lane lane = {TK_INDEX_FILE, access,
                                            tk_index_text(access < ACCESSES ? accesses[access] : "other")};
    const bool ended = cells[END].kind == TK_TIME;
    if (cells[START].kind != TK_TIME || (ended && cells[END].v.i < cells[START].v.i))
        return TK_OK;
    return tk_index_rows_span(
        r, &lane, cells[START].v.i, ended ? cells[END].v.i : INT64_MAX,
        cells[PATH].kind == TK_TEXT ? tk_cell_text(&cells[PATH]) : tk_index_text("unknown file"), "");
}

const struct tk_index_row_kind tk_index_row_files = {
    .name = "file",
    .table = "file_activity",
    .facts = TK_FACT_MASK(FILE_IO),
    .columns = {"start", "end", "op", "path"},
    .take = take_file,
};
