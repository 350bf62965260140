/*
 * Calls the hooks of a sink, which may be NULL (see struct tk_sink). Everything that passes rows on calls
 * them.
 */
#ifndef TK_TABLE_SINK_H
#define TK_TABLE_SINK_H

#include "tracekit/tables.h"

static inline int tk_sink_begin(const struct tk_sink *sink, const struct tk_table *table, struct tk_err *err)
{
    return sink->begin ? sink->begin(sink->self, table, err) : TK_OK;
}

/* One row. */
static inline int tk_sink_row(const struct tk_sink *sink, const struct tk_table *table,
                              const struct tk_cell *cells, struct tk_err *err)
{
    const struct tk_rows rows = {.n = 1, .cells = cells};
    return sink->rows ? sink->rows(sink->self, table, &rows, err) : TK_OK;
}

static inline int tk_sink_end(const struct tk_sink *sink, const struct tk_table *table, struct tk_err *err)
{
    return sink->end ? sink->end(sink->self, table, err) : TK_OK;
}

#endif
