/*
 * Projection: a table with some of its columns, in a given order and unit. It sits between the rows of a
 * builder and a sink.
 */
#ifndef TK_TABLE_PROJECTION_H
#define TK_TABLE_PROJECTION_H

#include "base/err.h"
#include "tracekit/queries.h"

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
