/*
 * Records on disk. See pieces.h.
 */
#include "sql/tables/pieces.h"

#include <stdlib.h>
#include <string.h>

int tk_sql_pieces_add(struct tk_sql_pieces *p, struct tk_spill *file, const void *record, struct tk_err *err)
{
    const size_t at = p->n % TK_SQL_PIECE;
    if (!p->last && !(p->last = malloc(TK_SQL_PIECE * p->size)))
        return tk_err_nomem(err, "rows of a query");
    memcpy(p->last + at * p->size, record, p->size);
    p->n++;
    return at + 1 == TK_SQL_PIECE ? tk_spill_write(file, &p->written, p->last, TK_SQL_PIECE * p->size, err)
                                  : TK_OK;
}

/* The piece of a number that was written. NULL: *rc says why. */
static const uint8_t *piece_of(struct tk_sql_pieces *p, const struct tk_spill *file, uint64_t piece, int *rc,
                               struct tk_err *err)
{
    const size_t slot = (size_t)(piece % TK_SQL_SLOTS);
    uint8_t *v = p->slots[slot].v;
    if (p->slots[slot].piece == piece + 1)
        return v;
    p->slots[slot].piece = 0;
    if (!v && !(v = p->slots[slot].v = malloc(TK_SQL_PIECE * p->size))) {
        *rc = tk_err_nomem(err, "rows of a query");
        return NULL;
    }
    *rc = tk_spill_read(file, &p->written, (size_t)piece, v, err);
    if (*rc < 0)
        return NULL;
    p->slots[slot].piece = piece + 1;
    return v;
}

int tk_sql_pieces_get(struct tk_sql_pieces *p, const struct tk_spill *file, uint64_t i, void *record,
                      struct tk_err *err)
{
    const uint64_t piece = i / TK_SQL_PIECE;
    int rc = TK_OK;
    const uint8_t *v = piece == p->written.pieces.n ? p->last : piece_of(p, file, piece, &rc, err);
    if (v)
        memcpy(record, v + (size_t)(i % TK_SQL_PIECE) * p->size, p->size);
    return rc;
}

void tk_sql_pieces_release(struct tk_sql_pieces *p)
{
    for (unsigned i = 0; i < TK_SQL_SLOTS; i++)
        free(p->slots[i].v);
    free(p->last);
    tk_vec_release(&p->written.pieces);
    *p = (struct tk_sql_pieces){.size = p->size};
}
