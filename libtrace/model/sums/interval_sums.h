/*
 * Part sums: what timers spent in parts of the time, such as frames or regions. A scope adds what of it lies
 * in a part to its timer; what scopes inside it had there is taken off its own time when it ends.
 */
#ifndef TK_MODEL_SUMS_INTERVAL_SUMS_H
#define TK_MODEL_SUMS_INTERVAL_SUMS_H

#include "base/hash.h"
#include "base/vec.h"
#include "query/builder.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Children: what of the parts of open scopes is taken by scopes inside them, kept until they end, so that own
 * times by part are exact and scopes that never end take nothing from others.
 */

/* Time of direct children in a part, cycles. */
struct tk_child_time {
    uint32_t part;
    uint64_t total;
};

/* Of one open scope. */
struct tk_child_level {
    uint64_t owner; /* id of the scope */
    TK_VEC(struct tk_child_time) v;
};

/* Of one lane. Zero-initialise to begin. */
struct tk_child_times {
    TK_VEC(struct tk_child_level) levels; /* by depth of the owner */
    size_t top;                           /* levels from here on are empty */
};

/* As tk_child_times_add, which knows the usual case. */
int tk_child_times_add_any(struct tk_child_times *c, size_t depth, uint64_t owner, uint32_t part,
                           uint64_t total);

/* Adds to a scope that is `depth` deep. 0, or -1 without memory. */
static inline int tk_child_times_add(struct tk_child_times *c, size_t depth, uint64_t owner, uint32_t part,
                                     uint64_t total)
{
    struct tk_child_level *level = depth < c->levels.n ? &c->levels.v[depth] : NULL;
    if (!level || level->owner != owner || !level->v.n || level->v.v[level->v.n - 1].part != part)
        return tk_child_times_add_any(c, depth, owner, part, total);
    level->v.v[level->v.n - 1].total += total;
    return 0;
}

/* As tk_child_times_take, where there is something at that depth or below. */
bool tk_child_times_take_any(struct tk_child_times *c, size_t depth, uint64_t owner,
                             struct tk_child_time *out);

/* The next time of a scope that is `depth` deep and ends, taken out. Every scope that ends has to be
 * requested all of them, once: it may end before those inside it. false: there is none left. */
static inline bool tk_child_times_take(struct tk_child_times *c, size_t depth, uint64_t owner,
                                       struct tk_child_time *out)
{
    return depth < c->top && tk_child_times_take_any(c, depth, owner, out);
}

/* Takes the time of a scope that is `depth` deep and ends, where it has one, in a certain part, and nothing
 * is kept below it. false: nothing was taken, all of them have to be requested. */
static inline bool tk_child_times_take_only(struct tk_child_times *c, size_t depth, uint64_t owner,
                                            uint32_t part, uint64_t *total)
{
    struct tk_child_level *level = depth + 1 == c->top ? &c->levels.v[depth] : NULL;
    if (!level || level->owner != owner || level->v.n != 1 || level->v.v[0].part != part)
        return false;
    *total = level->v.v[0].total;
    level->v.n = 0;
    c->top = depth;
    return true;
}

void tk_child_times_release(struct tk_child_times *c);

/* Cycles, clipped to part and selection; modulo 2^64. */
struct tk_interval_sum {
    uint32_t part, timer;
    uint64_t count; /* calls that touch the part */
    uint64_t incl;  /* without calls inside a call of the same timer */
    uint64_t total, excl;
};

/* Adds the figures of another. */
static inline void tk_interval_sum_add(struct tk_interval_sum *to, const struct tk_interval_sum *from)
{
    to->count += from->count;
    to->incl += from->incl;
    to->total += from->total;
    to->excl += from->excl;
}

/* Sums of the first parts and timers are found without a search: so many parts where nothing else is said,
 * and as long as there are no more places than these. */
#define TK_DENSE_PARTS  16u
#define TK_DENSE_TIMERS 65536u
#define TK_DENSE_PLACES (4u << 20)

/* By timer: place + 1; 0: not here. */
struct tk_interval_places {
    TK_VEC(uint32_t) timers;
};

/* Of one worker. Zero-initialise to begin. */
struct tk_interval_sums {
    struct tk_places index;                  /* by part and timer, of those that are not dense */
    TK_VEC(struct tk_interval_places) dense; /* by part */
    size_t n_places;                         /* in them */
    uint32_t dense_parts;                    /* how many may be dense; 0: as is usual */
    TK_VEC(struct tk_interval_sum) v;
};

/* The sums of a timer in a part, made on first use; NULL without memory. */
struct tk_interval_sum *tk_interval_sums_of(struct tk_interval_sums *s, uint32_t part, uint32_t timer);

/* The same without making them: NULL where there are none. */
const struct tk_interval_sum *tk_interval_sums_find(const struct tk_interval_sums *s, uint32_t part,
                                                    uint32_t timer);

/* Which timers are requested: filled while facts are fed, looked up by workers. */
struct tk_requested_timers {
    const struct tk_patterns *patterns; /* borrowed; with n 0: all */
    TK_VEC(bool) v;                     /* by timer id */
    bool by_source;                     /* timers of one name are apart by their places */
};

/* Learns the timers that the dictionary knows by now. 0, or -1 without memory. */
int tk_requested_timers_learn(struct tk_requested_timers *a, const struct tk_dict *dict);

/* Is it requested? Timers that are not reported yet may be. */
static inline bool tk_requested_timers_has(const struct tk_requested_timers *a, uint32_t timer)
{
    return !a->patterns->n || timer >= a->v.n || a->v.v[timer];
}

/* What slices need for sums by part, with what says the parts. */
#define TK_INTERVAL_SLICES (TK_SLICE_PLACE | TK_SLICE_OUTER)

/* Adds what of slice i lies in a part, `total` cycles, to its timer. 0, or -1 without memory. */
int tk_interval_sums_add(struct tk_interval_sums *s, const struct tk_slices *slices, size_t i, uint32_t part,
                         uint64_t total);

/* The same, if the timer is requested, and keeps it for the scope around it. */
static inline int tk_interval_sums_put(struct tk_interval_sums *s,
                                       const struct tk_requested_timers *requested,
                                       struct tk_child_times *children, const struct tk_slices *slices,
                                       size_t i, uint32_t part, uint64_t total)
{
    if (tk_requested_timers_has(requested, slices->timer[i]) &&
        tk_interval_sums_add(s, slices, i, part, total))
        return -1;
    if (!slices->parent[i] || !slices->depth[i] || !total)
        return 0;
    return tk_child_times_add(children, slices->depth[i] - 1, slices->parent[i], part, total);
}

/* As tk_interval_sums_close, where something is kept at that depth or below. */
int tk_interval_sums_close_any(struct tk_interval_sums *s, const struct tk_requested_timers *requested,
                               struct tk_child_times *children, const struct tk_slices *slices, size_t i);

/* Takes off what scopes inside slice i had; to be called for each slice, when its parts are put. 0, or -1
 * without memory. */
static inline int tk_interval_sums_close(struct tk_interval_sums *s,
                                         const struct tk_requested_timers *requested,
                                         struct tk_child_times *children, const struct tk_slices *slices,
                                         size_t i)
{
    return slices->depth[i] < children->top ? tk_interval_sums_close_any(s, requested, children, slices, i)
                                            : 0;
}

/* Adds all of another; late timers become those that they are, timers that are not requested are left out.
 * 0, or -1 without memory. */
int tk_interval_sums_merge(struct tk_interval_sums *into, const struct tk_interval_sums *from,
                           const struct tk_requested_timers *requested, struct tk_dict *dict);

/* Late timers become those that they are, which leaves a sum of 0 calls in their place, as do timers that are
 * not requested. 0, or -1 without memory. */
int tk_interval_sums_settle(struct tk_interval_sums *s, const struct tk_requested_timers *requested,
                            struct tk_dict *dict);

/* Puts them in order of part and timer; nothing can be found any longer. 0, or -1 without memory. */
int tk_interval_sums_sort(struct tk_interval_sums *s);

/* The same with less memory: pointers to the sums in order, to be freed; NULL if out of memory. */
const struct tk_interval_sum **tk_interval_sums_order(struct tk_interval_sums *s);

void tk_requested_timers_release(struct tk_requested_timers *a);
void tk_interval_sums_release(struct tk_interval_sums *s);

/*
 * Covers: the time cut at the begins and ends of stretches. Nearly all scopes lie in one piece of it, and so
 * in the same stretches from their begin to their end: their sums need no cutting, and what scopes inside
 * them took is known as a whole.
 */

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
