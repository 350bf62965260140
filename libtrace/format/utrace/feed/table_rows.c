/*
 * Rows of families: see table_rows.h.
 */
#include "format/utrace/feed/table_rows.h"

#include <string.h>

struct tk_cell *tk_ut_row(struct tk_ut_feed *feed, const struct tk_table *table, struct tk_ut_row_key key)
{
    size_t bytes = table->n_columns * sizeof(struct tk_cell);
    struct tk_cell *cells = tk_arena_alloc(&feed->out->arena, bytes);
    struct tk_fact fact = {.kind = TK_FACT_ROW,
                           .size = sizeof fact,
                           .thread = key.thread,
                           .time = key.timed ? key.begin : 0,
                           .seq = key.seq};
    if (!cells)
        return NULL;
    memset(cells, 0, bytes);
    fact.u.row = (struct tk_fact_row){table, cells, key.end, key.timed};
    return tk_ut_emit(feed, &fact) == TK_OK ? cells : NULL;
}
