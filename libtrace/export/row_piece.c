/*
 * Rows that are copied to a piece: cells as they are, texts behind each other, once where the row before has
 * the same one. See row_piece.h.
 */
#include "export/row_piece.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 2048, TEXT_BYTES = 512 << 10 };

void tk_row_piece_release(struct tk_row_piece *p)
{
    free(p->cells);
    free(p->text);
}

/* near: the row before it where that is in the same batch, else NULL; near_copy: its copy. */
static enum tk_row_copied copy_row(struct tk_row_piece *p, const struct tk_cell *row, size_t n,
                                   const struct tk_cell *near)
{
    struct tk_cell *out = p->cells + p->rows * n;
    const struct tk_cell *near_copy = near ? out - n : NULL;
    size_t n_text = p->n_text;
    memcpy(out, row, n * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        if (row[i].kind >= TK_BYTES)
            return TK_ROWS_DEEP;
        if (row[i].kind != TK_TEXT || !row[i].n)
            continue;
        if (near && near[i].kind == TK_TEXT && near[i].v.p == row[i].v.p && near[i].n == row[i].n) {
            out[i].v.p = near_copy[i].v.p;
            continue;
        }
        if (row[i].n > TEXT_BYTES - n_text)
            return p->rows ? TK_ROWS_FULL : TK_ROWS_DEEP;
        out[i].v.p = memcpy(p->text + n_text, row[i].v.p, row[i].n);
        n_text += row[i].n;
    }
    p->n_text = n_text;
    p->rows++;
    return TK_ROWS_ALL;
}

/* Of an empty piece. false if out of memory. */
static bool make_room(struct tk_row_piece *p, size_t n_columns)
{
    const size_t want = (size_t)ROWS * n_columns;
    if (!p->text && !(p->text = malloc(TEXT_BYTES)))
        return false;
    if (p->cap >= want)
        return true;
    struct tk_cell *cells = realloc(p->cells, want * sizeof *cells);
    if (!cells)
        return false;
    p->cells = cells;
    p->cap = want;
    return true;
}

enum tk_row_copied tk_row_piece_copy(struct tk_row_piece *p, const struct tk_table *table,
                                     const struct tk_rows *rows, size_t *at)
{
    const size_t n = table->n_columns;
    const struct tk_cell *near = NULL;
    enum tk_row_copied copied = TK_ROWS_ALL;
    if (p->rows && p->table != table)
        return TK_ROWS_FULL;
    if (!p->rows && !make_room(p, n))
        return TK_ROWS_NOMEM;
    p->table = table;
    for (; *at < rows->n && copied == TK_ROWS_ALL; *at += copied == TK_ROWS_ALL) {
        const struct tk_cell *row = rows->cells + *at * n;
        copied = p->rows < ROWS ? copy_row(p, row, n, near) : TK_ROWS_FULL;
        near = row;
    }
    return copied;
}
