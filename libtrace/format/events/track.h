/*
 * Tracks: events of one kind in the order of the file, in memory or in a temporary file. What decoders say is
 * kept in them until a reading asks for it.
 */
#ifndef TK_FORMAT_EVENTS_ORDER_TRACK_H
#define TK_FORMAT_EVENTS_ORDER_TRACK_H

#include "base/vec.h"
#include "format/events/packed.h"
#include "io/scratch/spill.h"

#include <stdbool.h>
#include <stdint.h>

/* A time as facts have it: since `base`, which is no later. What 64 bits do not hold is the most that they
 * do. */
static inline int64_t tk_ev_since(int64_t base, int64_t time)
{
    uint64_t since = (uint64_t)time - (uint64_t)base;
    return since <= INT64_MAX ? (int64_t)since : INT64_MAX;
}

/* Zero-initialise to begin. */
struct tk_ev_track {
    TK_VEC(uint8_t)
    held; /* items (packed.h), of which the first is told from nothing, as that of each piece */
    struct tk_spilled spilled;
    struct tk_ev_packing last; /* its time is that of the last item also behind a spill */
    uint64_t n;
    bool unsorted; /* some time is before the one in front of it */
};

/* Appends an item. The bytes that it takes, or 0 if out of memory. */
static inline size_t tk_ev_track_add(struct tk_ev_track *t, const struct tk_ev_item *item)
{
    if (t->held.cap - t->held.n < TK_EV_PACKED_ROOM &&
        tk_vec_reserve(&t->held, t->held.n + TK_EV_PACKED_ROOM))
        return 0;
    if (t->n++ && item->time < t->last.time)
        t->unsorted = true;
    if (!t->held.n)
        t->last = (struct tk_ev_packing){0};
    const size_t n = tk_ev_pack(t->held.v + t->held.n, &t->last, item);
    t->held.n += n;
    return n;
}

/* Moves what is held to the temporary file. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_ev_track_spill(struct tk_ev_track *t, struct tk_spill *spill, struct tk_err *err);

void tk_ev_track_release(struct tk_ev_track *t);

enum { TK_EV_UNPACKED = 256 }; /* items that are unpacked at a time */

/* Reads a track in the order of the file. Zero-initialise all but the first two. */
struct tk_ev_track_reader {
    const struct tk_ev_track *track;
    const struct tk_spill *spill; /* NULL where nothing was spilled */
    TK_VEC(uint8_t) piece;
    size_t next_piece;
    const uint8_t *at, *end; /* of the piece, or of what is held */
    struct tk_ev_packing before;
    size_t next, n; /* of the items */
    struct tk_ev_item items[TK_EV_UNPACKED];
};

/* Unpacks more items. TK_ITEM, TK_OK at the end, TK_EOUTPUT, TK_ENOMEM. */
int tk_ev_track_fill(struct tk_ev_track_reader *r, struct tk_err *err);

/* The next item, borrowed until the next call. TK_ITEM, TK_OK at the end, TK_EOUTPUT, TK_ENOMEM. */
static inline int tk_ev_track_next(struct tk_ev_track_reader *r, const struct tk_ev_item **out,
                                   struct tk_err *err)
{
    if (r->next == r->n) {
        int rc = tk_ev_track_fill(r, err);
        if (rc != TK_ITEM)
            return rc;
    }
    *out = &r->items[r->next++];
    return TK_ITEM;
}

/* All items that are unpacked and not taken, at least one, borrowed until the next call. As above. */
static inline int tk_ev_track_next_all(struct tk_ev_track_reader *r, const struct tk_ev_item **out, size_t *n,
                                       struct tk_err *err)
{
    const int rc = r->next == r->n ? tk_ev_track_fill(r, err) : TK_ITEM;
    if (rc != TK_ITEM)
        return rc;
    *out = &r->items[r->next];
    *n = r->n - r->next;
    r->next = r->n;
    return TK_ITEM;
}

void tk_ev_track_reader_release(struct tk_ev_track_reader *r);

#endif
