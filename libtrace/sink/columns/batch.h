/*
 * Batches: rows of a table as a struct of Arrow. The stream sends them one after another.
 */
#ifndef TK_SINK_COLUMNS_BATCH_H
#define TK_SINK_COLUMNS_BATCH_H

#include "tracekit.h"

/* Gives row i, as an array of cells. */
typedef const struct tk_cell *tk_row_at(const void *ctx, size_t i);

/* As tk_rows_columns, of the n rows from `first` on that `at` gives. */
int tk_batch_make(struct ArrowArray *out, const struct tk_table *table, tk_row_at *at, const void *ctx,
                  size_t first, size_t n, struct tk_err *err);

#endif
