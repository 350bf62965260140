/*
 * Covers: the time cut at the begins and ends of stretches. Nearly all scopes lie in one piece of it, and so
 * in the same stretches from their begin to their end: their sums need no cutting, and what scopes inside
 * them took is known as a whole.
 */
#ifndef TK_MODEL_SUMS_INTERVAL_INDEX_H
#define TK_MODEL_SUMS_INTERVAL_INDEX_H

#include "model/sums/interval_sums.h"

/*
 * Stretches: parts of the time that may overlap, such as regions, or be in many pieces, such as the frames of
 * a type; and what of a scope lies in each.
 */

struct tk_interval_member {
    int64_t begin, end; /* cycles since the start; [begin, end) */
    int64_t reach;      /* the greatest end of all up to this one; set by tk_interval_set_sort */
    uint32_t part;
};

/* Stretches of which those of one part do not overlap, unless it has one only. Zero-initialise to begin. */
struct tk_interval_set {
    TK_VEC(struct tk_interval_member) v;
    bool one_part; /* all are of one part, and a scope counts once in it */
};

/* Puts them in order of start. 0, or -1 without memory. */
int tk_interval_set_sort(struct tk_interval_set *s);

/* Adds what of slice i (with begin and end) lies in the stretches, with all that was inside it. *hint is
 * where the last slice was found, 0 at first. 0, or -1 without memory. */
int tk_interval_set_put(const struct tk_interval_set *s, size_t *hint, struct tk_interval_sums *sums,
                        const struct tk_select *select, const struct tk_slices *slices, size_t i);

void tk_interval_set_release(struct tk_interval_set *s);

struct tk_interval_index {
    TK_VEC(int64_t) borders; /* cycles, in order; piece k lies before border k, the last one behind all */
    TK_VEC(size_t) first;    /* by piece, and one more: where its parts are */
    TK_VEC(uint32_t) parts;
};

/* Cuts at the stretches of n tracks. 0, -1 without memory, or 1 when pieces have more than `limit` parts
 * taken together. */
int tk_interval_index_build(struct tk_interval_index *c, const struct tk_interval_set *tracks, size_t n,
                            uint64_t limit);

/* The piece that a point in time lies in; `hint` is one that may be near. */
size_t tk_interval_index_at(const struct tk_interval_index *c, int64_t time, size_t hint);

/* Does something that begins in a piece lie in it up to its end? */
static inline bool tk_interval_index_whole(const struct tk_interval_index *c, size_t piece, int64_t end)
{
    return piece == c->borders.n || end <= c->borders.v[piece];
}

/* As in tk_interval_sum. */
struct tk_now_sum {
    uint64_t count, incl, total, excl;
};

/* What a worker has summed up in the piece that its last slices were in, by timer. Zero-initialise to begin.
 */
struct tk_interval_index_now {
    size_t piece;
    TK_VEC(struct tk_now_sum) timers;
    TK_VEC(uint32_t) called; /* those with calls */
};

/*
 * Adds slice i, which lies in a piece as a whole, to the parts of it, without what scopes inside it had
 * there, and keeps its time for the scope around it. With `now` (else NULL) the parts get it when the piece
 * is left, which saves looking for the sums of each, but costs where few slices follow each other in the same
 * ones. 0, or -1 without memory.
 */
int tk_interval_index_put(const struct tk_interval_index *c, size_t piece, struct tk_interval_index_now *now,
                          struct tk_interval_sums *sums, const struct tk_requested_timers *requested,
                          struct tk_child_times *children, const struct tk_slices *slices, size_t i);

/* Adds what is in `now` to the parts. 0, or -1 without memory. */
int tk_interval_index_leave(const struct tk_interval_index *c, struct tk_interval_index_now *now,
                            struct tk_interval_sums *sums);

void tk_interval_index_now_release(struct tk_interval_index_now *now);

/*
 * The same for a slice over borders, whose time in parts was added before: takes off what scopes inside it
 * had, and keeps its own for the scope around it. `piece` is that of its begin.
 */
int tk_interval_index_cross(const struct tk_interval_index *c, size_t piece, struct tk_interval_sums *sums,
                            const struct tk_requested_timers *requested, struct tk_child_times *children,
                            const struct tk_select *select, const struct tk_slices *slices, size_t i);

void tk_interval_index_release(struct tk_interval_index *c);

#endif
