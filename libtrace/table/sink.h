/*
 * Calls the hooks of a sink, which may be NULL (see struct tk_sink). Everything that passes rows on calls
 * them. Results, which are sinks that keep rows, drop some of them.
 */
#ifndef TK_TABLE_SINK_H
#define TK_TABLE_SINK_H

#include "base/err.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"
#include "tracekit/tables.h"

static inline int tk_sink_begin(const struct tk_sink *sink, const struct tk_table *table, struct tk_err *err)
{
    return sink->begin ? sink->begin(sink->self, table, err) : TK_OK;
}

/* The column with the time at which a row begins; UINT32_MAX: the table has none. */
uint32_t tk_table_begin(const struct tk_table *table);

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

/*
 * Rows of a result that are kept or dropped one by one, for what chooses them by conditions. Used by the
 * library; what programs call is in tracekit.h.
 */

/* Keeps the rows for which `pass` is true, in their order. TK_OK or TK_ENOMEM. */
int tk_result_keep(struct tk_result *result, size_t table, bool (*pass)(void *ctx, const struct tk_cell *row),
                   void *ctx, struct tk_err *err);

/*
 * Facts about a run that its capture does not hold: keys and values, in the order of the keys.
 */

struct tk_run_fact {
    const struct tk_str *key, *value;
};

/* Zero-initialised there is nothing. */
struct tk_run_info {
    struct tk_intern names;
    TK_VEC(struct tk_run_fact) v;
};

/*
 * Projection: a table with some of its columns, in a given order and unit. It sits between the rows of a
 * builder and a sink.
 */

struct tk_projection {
    struct tk_table table;     /* what the sink sees */
    struct tk_column *columns; /* owned; those of table */
    uint32_t *from;            /* owned: column i of table is column from[i] of the full one */
    uint64_t mask;             /* bit i: column i of the full table is requested */
};

/* Is it a table that stands alongside the others of a query, so that columns and conditions are not meant for
 * it? */
bool tk_projection_whole(const struct tk_table *full, const struct tk_query *query);

/* The column that a name such as "timers.count" stands for in this table; NULL: it is of another one. */
const char *tk_projection_column(const char *requested, const char *table);

/*
 * Projects a full table (at most 64 columns) by the columns of the query; without any: the usual ones. The
 * name of a table is borrowed. TK_OK, TK_ENOMEM, TK_EMATCH for a column it does not have, TK_EUSAGE for one
 * named twice.
 */
int tk_projection_init(struct tk_projection *p, const struct tk_table *full, const struct tk_query *query,
                       struct tk_err *err);

void tk_projection_release(struct tk_projection *p);

/*
 * The order of rows by a column.
 */

struct tk_row_order {
    uint32_t column;
    bool descending; /* cells without a value come last all the same */
};

/* Sorts pointers to rows stably, with space for as many. Returns which of the two arrays holds the result. */
const struct tk_cell **tk_row_order_sort(const struct tk_row_order *o, const struct tk_cell **rows,
                                         const struct tk_cell **spare, size_t n);

#endif
