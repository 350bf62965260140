/*
 * Rows in groups: those with equal keys stand together.
 */
#ifndef TK_TABLE_ROW_GROUPS_H
#define TK_TABLE_ROW_GROUPS_H

#include "tracekit.h"

/* The key of a row's cells in n columns; rows whose cells are equal have equal keys. */
uint64_t tk_row_groups_key(const struct tk_cell *row, const uint32_t *columns, size_t n);

/*
 * Puts the numbers of the rows that are kept into `order` (room for n): groups in the order of their first
 * rows, of each the first `most` rows in their order. Returns how many these are, or SIZE_MAX: out of memory.
 */
size_t tk_row_groups_order(const uint64_t *keys, size_t n, size_t most, size_t *order);

#endif
