/*
 * Tracks: events of one kind as items of 24 bytes in the order of the file, in memory or in a temporary file.
 * What decoders say is kept in them until a reading asks for it.
 */
#ifndef TK_FORMAT_EVENTS_ORDER_TRACK_H
#define TK_FORMAT_EVENTS_ORDER_TRACK_H

#include "base/vec.h"
#include "io/scratch/spill.h"

#include <stdbool.h>
#include <stdint.h>

struct tk_ev_item {
    int64_t time;
    int64_t value; /* by track: when a scope ends, the bits of a number, ... */
    uint32_t what; /* by track: a timer, a name, a counter, ... */
    uint32_t order;
};

/* A time as facts have it: since `base`, which is no later. What 64 bits do not hold is the most that they
 * do. */
static inline int64_t tk_ev_since(int64_t base, int64_t time)
{
    uint64_t since = (uint64_t)time - (uint64_t)base;
    return since <= INT64_MAX ? (int64_t)since : INT64_MAX;
}

/* Zero-initialise to begin. */
struct tk_ev_track {
    TK_VEC(struct tk_ev_item) held;
    struct tk_spilled spilled;
    uint64_t n;
    int64_t last;  /* time of the last item */
    bool unsorted; /* some time is before the one in front of it */
};

/* Appends an item. 0, or -1 when memory is out. */
static inline int tk_ev_track_add(struct tk_ev_track *t, struct tk_ev_item item)
{
    if (t->n && item.time < t->last)
        t->unsorted = true;
    t->last = item.time;
    t->n++;
    return tk_vec_push(&t->held, item);
}

/* Moves what is held to the temporary file. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_ev_track_spill(struct tk_ev_track *t, struct tk_spill *spill, struct tk_err *err);

void tk_ev_track_release(struct tk_ev_track *t);

/* Reads a track in the order of the file. Zero-initialise all but the first two. */
struct tk_ev_track_reader {
    const struct tk_ev_track *track;
    const struct tk_spill *spill; /* NULL where nothing was spilled */
    TK_VEC(struct tk_ev_item) piece;
    size_t next_piece, at;
};

/* The next item, borrowed until the next call. TK_ITEM, TK_OK at the end, TK_EOUTPUT, TK_ENOMEM. */
int tk_ev_track_next(struct tk_ev_track_reader *r, const struct tk_ev_item **out, struct tk_err *err);

void tk_ev_track_reader_release(struct tk_ev_track_reader *r);

#endif
