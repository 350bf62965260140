/*
 * Reads a column from its first record to its last, with what changed in records that were spilled.
 * spill_column.c wrote it.
 */
#include "io/scratch/scratch_in.h"

#include <string.h>

void tk_spill_column_reading_open(struct tk_spill_column_reading *r, const struct tk_spill_column *c,
                                  struct tk_err *err)
{
    memset(r, 0, sizeof *r);
    r->column = c;
    r->err = err;
}

void tk_spill_column_reading_close(struct tk_spill_column_reading *r)
{
    free(r->capacity);
    free(r->changed);
    memset(r, 0, sizeof *r);
}

/* The next piece, or what is in memory behind the last one: TK_ITEM, TK_OK at the end. */
static int next_piece(struct tk_spill_column_reading *r)
{
    const struct tk_spill_column *c = r->column;
    const size_t pieces = c->spilled.pieces.n;
    r->at = 0;
    if (r->piece > pieces)
        return TK_OK;
    if (r->piece == pieces) {
        r->piece++;
        r->v = c->v;
        r->n = c->n * c->size;
        return r->n ? TK_ITEM : TK_OK;
    }
    r->n = c->spilled.pieces.v[r->piece].n;
    if (!r->capacity && !(r->capacity = malloc(TK_SPILL_COLUMN_PIECE)))
        return tk_err_nomem(r->err, "recorded data");
    r->v = r->capacity;
    int rc = tk_spill_read(tk_spill_columns_file(c->store), &c->spilled, r->piece++, r->capacity, r->err);
    return rc == TK_OK ? TK_ITEM : rc;
}

enum { CHANGE = sizeof(struct tk_spill_column_change) }; /* bytes */

static int next_changes(struct tk_spill_column_reading *r)
{
    const struct tk_spill_column *c = r->column;
    r->n_changed = r->changed_at = 0;
    if (r->changed_piece == c->changes.pieces.n)
        return TK_OK;
    r->n_changed = c->changes.pieces.v[r->changed_piece].n;
    if (!r->changed && !(r->changed = malloc((size_t)TK_SPILL_COLUMN_CHANGES * CHANGE)))
        return tk_err_nomem(r->err, "recorded data");
    return tk_spill_read(tk_spill_columns_file(c->store), &c->changes, r->changed_piece++, r->changed,
                         r->err);
}

/* Lays the change of this record over it, where there is one. */
static int lay_over(struct tk_spill_column_reading *r, const void **record)
{
    struct tk_spill_column_change change;
    if (r->changed_at == r->n_changed) {
        int rc = next_changes(r);
        if (rc != TK_OK || r->n_changed == 0)
            return rc;
    }
    memcpy(&change, r->changed + r->changed_at, sizeof change);
    if (change.index != r->index)
        return TK_OK;
    r->changed_at += sizeof change;
    memcpy(r->record, change.record, r->column->size);
    *record = r->record;
    return TK_OK;
}

int tk_spill_column_read(struct tk_spill_column_reading *r, const void **record)
{
    while (r->at == r->n) {
        int rc = next_piece(r);
        if (rc != TK_ITEM)
            return rc;
    }
    *record = r->v + r->at;
    r->at += r->column->size;
    if (r->column->changes.pieces.n) {
        int rc = lay_over(r, record);
        if (rc != TK_OK)
            return rc;
    }
    r->index++;
    return TK_ITEM;
}

int tk_spill_column_read_bytes(struct tk_spill_column_reading *r, size_t most, const uint8_t **p, size_t *n)
{
    while (r->at == r->n) {
        int rc = next_piece(r);
        if (rc != TK_ITEM)
            return rc;
    }
    *n = most < r->n - r->at ? most : r->n - r->at;
    *p = r->v + r->at;
    r->at += *n;
    return TK_ITEM;
}
