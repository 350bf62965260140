/*
 * Keeping and reading items; see track.h.
 */
#include "format/events/order/track.h"

int tk_ev_track_spill(struct tk_ev_track *t, struct tk_spill *spill, struct tk_err *err)
{
    if (!t->held.n)
        return TK_OK;
    int rc = tk_spill_write(spill, &t->spilled, t->held.v, t->held.n * sizeof *t->held.v, err);
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
    size_t n = piece->n / sizeof *r->piece.v;
    if (tk_vec_reserve(&r->piece, n))
        return tk_err_nomem(err, "events that were put aside");
    r->piece.n = n;
    r->at = 0;
    return tk_spill_read(r->spill, &r->track->spilled, r->next_piece++, r->piece.v, err);
}

int tk_ev_track_next(struct tk_ev_track_reader *r, const struct tk_ev_item **out, struct tk_err *err)
{
    const size_t pieces = r->track->spilled.pieces.n;
    while (r->next_piece < pieces || (r->next_piece == pieces && r->at < r->piece.n && pieces)) {
        if (r->at < r->piece.n) {
            *out = &r->piece.v[r->at++];
            return TK_ITEM;
        }
        int rc = load_piece(r, err);
        if (rc != TK_OK)
            return rc;
    }
    if (r->next_piece == pieces) { /* what is still in memory comes last */
        r->next_piece++;
        r->at = 0;
    }
    if (r->at >= r->track->held.n)
        return TK_OK;
    *out = &r->track->held.v[r->at++];
    return TK_ITEM;
}

void tk_ev_track_reader_release(struct tk_ev_track_reader *r)
{
    tk_vec_release(&r->piece);
}
