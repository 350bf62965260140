/*
 * Own times: what each timer of a lane spent itself in frames that are marked. A scope adds its time to its
 * timer and takes it from the timer around it, frame by frame, so that scopes over several frames are exact.
 */
#ifndef TK_STATS_OWN_TIMES_H
#define TK_STATS_OWN_TIMES_H

#include "stats/frame_marks.h"

struct tk_own_time {
    uint32_t mark, timer;
    uint64_t count; /* calls that touch frames of the mark; one in each counts */
    uint64_t own;   /* cycles, modulo 2^64; of TK_MARK_USUAL in all frames together */
};

/* Of one lane. Zero-initialise to begin. */
struct tk_own_times {
    struct tk_map index; /* mark, timer -> place */
    TK_VEC(struct tk_own_time) v;
};

/* Adds to a timer. 0, or -1 without memory. */
int tk_own_times_add(struct tk_own_times *o, uint32_t mark, uint32_t timer, uint64_t count, uint64_t own);

/* Takes slices with node and frame. 0, or -1 without memory. */
int tk_own_times_take(struct tk_own_times *o, const struct tk_frame_marks *marks,
                      const struct tk_select *select, const struct tk_slices *slices);

/* What a timer has, or NULL. */
const struct tk_own_time *tk_own_times_find(const struct tk_own_times *o, uint32_t mark, uint32_t timer);

/* Gives what late timers have to the timers that they are. 0, or -1 without memory. */
int tk_own_times_settle(struct tk_own_times *o, struct tk_dict *dict);

void tk_own_times_release(struct tk_own_times *o);

#endif
