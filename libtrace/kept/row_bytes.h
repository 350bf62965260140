/*
 * Rows as bytes: the cells of a batch, and back. Answers that are kept (kept_answers.h) hold their rows in
 * it.
 */
#ifndef TK_KEPT_ANSWERS_ROW_BYTES_H
#define TK_KEPT_ANSWERS_ROW_BYTES_H

#include "base/arena.h"
#include "base/vec.h"
#include "fact/kept.h"
#include "tracekit.h"

/* Cells in the reading. Zero-initialise to begin. */
struct tk_kept_cells {
    TK_VEC(struct tk_cell) cells; /* of the last batch */
    struct tk_arena nested;       /* lists and records of all batches */
};

/* Appends n cells. false: out of memory, or one of them is nested deeper than TK_CELL_DEPTH. */
bool tk_kept_cells_put(struct tk_kept_bytes *out, const struct tk_cell *cells, size_t n);

/* Reads n cells, whose texts stay where the cursor reads. TK_OK, with a fault of the cursor where they are
 * wrong; TK_ENOMEM. */
int tk_kept_cells_take(struct tk_cur *c, struct tk_kept_cells *out, size_t n);

void tk_kept_cells_release(struct tk_kept_cells *cells);

#endif
