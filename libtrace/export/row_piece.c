/*
 * Rows that are copied to a piece: cells as they are, texts behind each other, once where they stand at the
 * same place again. See row_piece.h.
 */
#include "export/row_piece.h"

#include "base/stream_copy.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 2048, TEXT_BYTES = 512 << 10, FEW_CELLS = 64 };

void tk_row_piece_release(struct tk_row_piece *p)
{
    free(p->cells);
    free(p->text);
}

void tk_row_piece_clear(struct tk_row_piece *p)
{
    p->rows = 0;
    if (p->n_text <= TEXT_BYTES / 2)
        return;
    p->n_text = 0;
    memset(p->slots, 0, sizeof p->slots);
}

/* The copy of a text that is not empty. NULL: no room for it. */
static const char *copy_text(struct tk_row_piece *p, const struct tk_cell *c)
{
    const uintptr_t at = (uintptr_t)c->v.p;
    struct tk_row_piece_slot *slot = &p->slots[(at >> 4 ^ at >> 14) % TK_ROW_PIECE_SLOTS];
    /* other bytes may have come to where it stood */
    if (slot->from == c->v.p && slot->n == c->n && slot->copy && memcmp(slot->copy, c->v.p, c->n) == 0)
        return slot->copy;
    if (c->n > TEXT_BYTES - p->n_text)
        return NULL;
    *slot = (struct tk_row_piece_slot){c->v.p, memcpy(p->text + p->n_text, c->v.p, c->n), c->n};
    p->n_text += c->n;
    return slot->copy;
}

/* Puts the copies of texts in place of those in a row. */
static enum tk_row_copied move_texts(struct tk_row_piece *p, struct tk_cell *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (row[i].kind >= TK_BYTES)
            return TK_ROWS_DEEP;
        if (row[i].kind != TK_TEXT || !row[i].n)
            continue;
        row[i].v.p = copy_text(p, &row[i]);
        if (!row[i].v.p)
            return p->rows ? TK_ROWS_FULL : TK_ROWS_DEEP;
    }
    return TK_ROWS_ALL;
}

static enum tk_row_copied copy_row(struct tk_row_piece *p, const struct tk_cell *row, size_t n)
{
    struct tk_cell few[FEW_CELLS], *out = p->cells + p->rows * n;
    const bool streams = n <= FEW_CELLS && sizeof *out == 16;
    struct tk_cell *copy = streams ? few : out;
    memcpy(copy, row, n * sizeof *row);
    const enum tk_row_copied copied = move_texts(p, copy, n);
    if (copied == TK_ROWS_ALL && streams)
        tk_stream_copy(out, few, n * sizeof *few);
    p->rows += copied == TK_ROWS_ALL;
    return copied;
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
    enum tk_row_copied copied = TK_ROWS_ALL;
    if (p->rows && p->table != table)
        return TK_ROWS_FULL;
    if (!p->rows && !make_room(p, n))
        return TK_ROWS_NOMEM;
    p->table = table;
    for (; *at < rows->n && copied == TK_ROWS_ALL; *at += copied == TK_ROWS_ALL) {
        const struct tk_cell *row = rows->cells + *at * n;
        copied = p->rows < ROWS ? copy_row(p, row, n) : TK_ROWS_FULL;
    }
    tk_stream_end();
    return copied;
}
