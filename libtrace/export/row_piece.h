/*
 * A piece of rows of one table, copied from where they stand for a moment, so that others can work on them
 * later. The rows beside and apart are made of them.
 */
#ifndef TK_EXPORT_ROW_PIECE_H
#define TK_EXPORT_ROW_PIECE_H

#include "tracekit.h"

#include <stdbool.h>
#include <stddef.h>

/* Texts that were copied, by where they stood. */
enum { TK_ROW_PIECE_SLOTS = 1024 };

/* Zero-initialised it is empty. Texts stay when it is cleared, as the next rows often have the same: then
 * nothing is written that another thread has in its cache. */
struct tk_row_piece {
    const struct tk_table *table; /* borrowed until it has ended */
    struct tk_cell *cells;        /* owned */
    size_t cap;                   /* cells */
    size_t rows;
    char *text; /* owned */
    size_t n_text;
    struct tk_row_piece_slot {
        const char *from;
        const char *copy; /* in text; NULL: none */
        uint32_t n;
    } slots[TK_ROW_PIECE_SLOTS];
};

void tk_row_piece_release(struct tk_row_piece *p);

enum tk_row_copied {
    TK_ROWS_ALL,  /* the rows are in the piece */
    TK_ROWS_FULL, /* it holds no more, or has rows of another table: give it away and go on with an empty one
                   */
    TK_ROWS_DEEP, /* the next row has cells that point to others, or long texts: it is to be used as it is */
    TK_ROWS_NOMEM
};

/* Copies rows from number *at on, which moves on. */
enum tk_row_copied tk_row_piece_copy(struct tk_row_piece *p, const struct tk_table *table,
                                     const struct tk_rows *rows, size_t *at);

static inline struct tk_rows tk_row_piece_rows(const struct tk_row_piece *p)
{
    return (struct tk_rows){.n = p->rows, .cells = p->cells};
}

/* Forgets the rows. Whoever has them must be done with them. */
void tk_row_piece_clear(struct tk_row_piece *p);

#endif
