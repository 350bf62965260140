/*
 * The order of rows by a column.
 */
#ifndef TK_TABLE_ROW_ORDER_H
#define TK_TABLE_ROW_ORDER_H

#include "tracekit.h"

struct tk_row_order {
    uint32_t column;
    bool descending; /* cells without a value come last all the same */
};

/* Sorts pointers to rows stably, with room for as many. Returns which of the two arrays holds the result. */
const struct tk_cell **tk_row_order_sort(const struct tk_row_order *o, const struct tk_cell **rows,
                                         const struct tk_cell **spare, size_t n);

#endif
