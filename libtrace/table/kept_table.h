/*
 * The tables that a result holds.
 */
#ifndef TK_TABLE_KEPT_TABLE_H
#define TK_TABLE_KEPT_TABLE_H

#include "base/vec.h"
#include "table/deep_copy.h"
#include "table/packed_rows.h"

struct tk_kept_table {
    struct tk_table *table;       /* in the copier's arena */
    TK_VEC(struct tk_cell) cells; /* row after row */
    size_t n_rows;
    const struct tk_cell **order; /* owned: n_rows rows; NULL: as they came */
    struct tk_packed_rows packed; /* instead of cells and order, where the result packs */
};

struct tk_result {
    struct tk_copier copier;
    TK_VEC(struct tk_kept_table) tables;
    bool packs;
};

/* A row of a table that is not packed. */
static inline const struct tk_cell *tk_kept_row(const struct tk_kept_table *t, size_t row)
{
    return t->order ? t->order[row] : t->cells.v + row * t->table->n_columns;
}

#endif
