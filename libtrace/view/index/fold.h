/*
 * Scopes on their way into a window: those narrower than a pixel are put together, row by row, in cells of a
 * pixel. Scopes of chunks and scopes read from the capture again both end here.
 */
#ifndef TK_INDEX_FOLD_H
#define TK_INDEX_FOLD_H

#include "view/index/index_internal.h"

/* The last two pixels of a row that something ended in: pixel n is at[n & 1]. */
struct tk_index_fold_row {
    int64_t pixel;
    struct tk_index_open_cell at[2];
};

struct tk_index_fold {
    const struct tk_index *index;
    const struct tk_index_question *question; /* borrowed */
    unsigned reading;                         /* of the lane */
    uint32_t most;                            /* rows */
    uint64_t pixel;                           /* cycles; 0: nothing is put together */
    struct tk_index_fold_row *rows;           /* owned */
    size_t n_rows;
    struct tk_index_window *out; /* borrowed */
};

/* Begins for a lane. */
void tk_index_fold_begin(struct tk_index_fold *f, const struct tk_index *index, unsigned reading,
                         const struct tk_index_question *question, struct tk_index_window *out);

/* A scope of the lane; those that have ends come in order of them. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_index_fold_add(struct tk_index_fold *f, const struct tk_index_scope *scope, struct tk_err *err);

/* No more of them: the last cells. As tk_index_fold_add. */
int tk_index_fold_end(struct tk_index_fold *f, struct tk_err *err);

void tk_index_fold_release(struct tk_index_fold *f);

#endif
