/*
 * Fuzzes the entries of an index: chunks of cells and of scopes, as they come back from its file. A byte says
 * which, two how many, eight are the first key; the rest is the chunk.
 */
#include "base/cursor.h"
#include "rig.h"
#include "view/index/index.h"
#include "view/index/index_in.h"

#include <stdlib.h>

enum { HEAD = 11 };

static struct tk_index_cell cells[2][TK_INDEX_CELLS];
static struct tk_index_scope scopes[2][TK_INDEX_SCOPES];
static uint8_t
    bytes[TK_INDEX_CELLS_BYTES > TK_INDEX_SCOPES_BYTES ? TK_INDEX_CELLS_BYTES : TK_INDEX_SCOPES_BYTES];

/* What was read is written, and read as the same. */
static void read_cells(const struct tk_index_chunk *chunk, const uint8_t *p)
{
    struct tk_index_chunk again = *chunk;
    if (!tk_index_cells_get(cells[0], chunk, p) || !chunk->n)
        return;
    again.first = cells[0][0].bin;
    again.size = (uint32_t)tk_index_cells_put(bytes, cells[0], chunk->n);
    fuzz_promise(again.size <= sizeof bytes, "there is room for all cells");
    fuzz_promise(tk_index_cells_get(cells[1], &again, bytes), "cells that are written are read");
    for (size_t i = 0; i < chunk->n; i++) {
        const struct tk_index_cell *a = &cells[0][i], *b = &cells[1][i];
        fuzz_promise(a->bin == b->bin && a->timer == b->timer && a->row == b->row && a->cover == b->cover &&
                         a->count == b->count,
                     "cells stay the same");
    }
}

static void read_scopes(const struct tk_index_chunk *chunk, const uint8_t *p)
{
    struct tk_index_chunk again = *chunk;
    if (!tk_index_scopes_get(scopes[0], chunk, p) || !chunk->n)
        return;
    again.first = scopes[0][0].end;
    again.size = (uint32_t)tk_index_scopes_put(bytes, scopes[0], chunk->n);
    fuzz_promise(again.size <= sizeof bytes, "there is room for all scopes");
    fuzz_promise(tk_index_scopes_get(scopes[1], &again, bytes), "scopes that are written are read");
    for (size_t i = 0; i < chunk->n; i++) {
        const struct tk_index_scope *a = &scopes[0][i], *b = &scopes[1][i];
        fuzz_promise(a->row < TK_INDEX_ROWS, "rows are in bounds");
        fuzz_promise(a->begin == b->begin && a->end == b->end && a->timer == b->timer && a->row == b->row &&
                         a->flags == b->flags,
                     "scopes stay the same");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return 0;
    const struct tk_index_chunk chunk = {
        .n = tk_load16(data + 1), .first = (int64_t)tk_load64(data + 3), .size = (uint32_t)(size - HEAD)};
    uint8_t *p = fuzz_copy(data + HEAD, size - HEAD);
    if (data[0] & 1)
        read_cells(&chunk, p);
    else
        read_scopes(&chunk, p);
    free(p);
    return 0;
}
