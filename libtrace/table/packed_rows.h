/*
 * Rows as bytes, for those that are only sorted, cut and sent on: a quarter of what they take as cells, or
 * less.
 */
#ifndef TK_TABLE_PACKED_ROWS_H
#define TK_TABLE_PACKED_ROWS_H

#include "base/hash.h"
#include "base/vec.h"
#include "table/deep_copy.h"
#include "table/row_order.h"

/* Zero-initialise to begin. */
struct tk_packed_rows {
    TK_VEC(uint8_t) bytes;         /* row after row */
    TK_VEC(struct tk_cell) values; /* copies of cells that are more than a number; equal texts are one */
    struct tk_map index;           /* hash of a text -> place in values */
    size_t *order;                 /* owned: where rows begin in bytes; NULL: as they came */
};

/* Appends a row of n cells; what they point to is copied by the copier, which outlives the rows. TK_OK,
 * TK_ENOMEM or TK_ELIMIT. */
int tk_packed_rows_add(struct tk_packed_rows *p, struct tk_copier *copier, const struct tk_cell *row,
                       size_t n, struct tk_err *err);

/* Where the row with a number begins; `before` is where the one before it ended, which counts as long as
 * there is no order. */
static inline size_t tk_packed_rows_at(const struct tk_packed_rows *p, size_t row, size_t before)
{
    return p->order ? p->order[row] : before;
}

/* The n cells of the row that begins at a place; returns where it ends. */
size_t tk_packed_rows_get(const struct tk_packed_rows *p, size_t at, struct tk_cell *row, size_t n);

/* Puts the first n_rows rows, each of n cells, in order, stably. 0, or -1 if out of memory. */
int tk_packed_rows_sort(struct tk_packed_rows *p, const struct tk_row_order *o, size_t n, size_t n_rows);

/* Keeps those of the first *n_rows rows for which `pass` is true, in their order. 0, or -1 if out of
 * memory. */
int tk_packed_rows_keep(struct tk_packed_rows *p, size_t n, size_t *n_rows,
                        bool (*pass)(void *ctx, const struct tk_cell *row), void *ctx);

/* Takes as the order of rows the `kept` of the first n_rows rows (each of n cells) whose numbers are in
 * `order`, which holds places afterwards and is owned by the rows. 0, or -1: out of memory. */
int tk_packed_rows_take(struct tk_packed_rows *p, size_t n, size_t n_rows, size_t *order, size_t kept);

void tk_packed_rows_release(struct tk_packed_rows *p);

#endif
