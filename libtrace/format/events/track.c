/*
 * Keeping and reading items; see track.h.
 */
#include "format/events/track.h"

int tk_ev_track_spill(struct tk_ev_track *t, struct tk_spill *spill, struct tk_err *err)
{
    if (!t->held.n)
        return TK_OK;
    int rc = tk_spill_write(spill, &t->spilled, t->held.v, t->held.n, err);
    tk_vec_release(&t->held);
    return rc;
}

void tk_ev_track_release(struct tk_ev_track *t)
{
    tk_vec_release(&t->held);
    tk_vec_release(&t->spilled.pieces);
}

static int load_piece(struct tk_ev_track_reader *r, struct tk_err *err)
{
    const struct tk_spill_piece *piece = &r->track->spilled.pieces.v[r->next_piece];
    if (tk_vec_reserve(&r->piece, piece->n + TK_EV_PACKED_ROOM))
        return tk_err_nomem(err, "events that were put aside");
    r->at = r->piece.v;
    r->end = r->at + piece->n;
    memset(r->piece.v + piece->n, 0, TK_EV_PACKED_ROOM); /* which is looked at, but means nothing */
    return tk_spill_read(r->spill, &r->track->spilled, r->next_piece, r->piece.v, err);
}

/* The next stretch of items: the pieces of the temporary file, then what is still in memory. TK_ITEM, TK_OK.
 */
static int next_stretch(struct tk_ev_track_reader *r, struct tk_err *err)
{
    const size_t pieces = r->track->spilled.pieces.n;
    r->before = (struct tk_ev_packing){0};
    if (r->next_piece > pieces)
        return TK_OK;
    if (r->next_piece < pieces) {
        int rc = load_piece(r, err);
        r->next_piece++;
        return rc == TK_OK ? TK_ITEM : rc;
    }
    tk_vec_release(&r->piece);
    r->next_piece++;
    r->at = r->track->held.v;
    r->end = r->track->held.n ? r->at + r->track->held.n : r->at;
    return TK_ITEM;
}

int tk_ev_track_fill(struct tk_ev_track_reader *r, struct tk_err *err)
{
    while (r->at >= r->end) {
        int rc = next_stretch(r, err);
        if (rc != TK_ITEM)
            return rc;
    }
    const uint8_t *at = r->at;
    size_t n = 0;
    for (; n < TK_EV_UNPACKED && at < r->end; n++)
        at = tk_ev_unpack(at, &r->before, &r->items[n]);
    r->at = at;
    r->next = 0;
    r->n = n;
    return TK_ITEM;
}

void tk_ev_track_reader_release(struct tk_ev_track_reader *r)
{
    tk_vec_release(&r->piece);
}
