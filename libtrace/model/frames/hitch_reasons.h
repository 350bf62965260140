/*
 * Reasons of hitches: what timers had in frames that took too long, against what they usually have, and what
 * of it grew. Shared by the files that read (hitches.c), reason (hitch_reasons.c) and send rows
 * (hitch_rows.c).
 */
#ifndef TK_MODEL_HITCHES_HITCH_REASONS_H
#define TK_MODEL_HITCHES_HITCH_REASONS_H

#include "model/threads/core_times.h"
#include "model/threads/work_kind.h"
#include "model/frames/longest_calls.h"
#include "model/frames/wait_causes.h"
#include "model/sums/interval_sums.h"

#define TK_HITCH_NOT_RUNNING UINT32_MAX /* in the place of a timer */

struct tk_hitch_lane {
    uint32_t thread; /* or id of the queue */
    uint8_t kind;    /* enum tk_lane_kind */
    struct tk_child_times children;
    struct tk_interval_sums sums;  /* the parts are marks of frames */
    struct tk_longest_calls calls; /* where it is known when the thread ran */
    bool running;                  /* it is */
};

struct tk_hitch_reason {
    uint32_t mark, lane, timer;
    uint8_t work; /* enum tk_work; TK_WORK_KINDS: off the core */
    uint64_t count;
    int64_t own, usual, growth;
    int64_t off; /* what of its longest call the thread was on no core; 0 where that is not known */
};

struct tk_hitches {
    const struct tk_query_context *view;
    struct tk_frame_classes marks;
    struct tk_work_rules work;
    struct tk_core_times running;
    struct tk_patterns no_patterns;
    struct tk_asked_timers asked; /* all */
    struct tk_wait_causes causes;
    TK_VEC(struct tk_hitch_lane *) lanes;   /* owned, by number; NULL: had no run */
    TK_VEC(struct tk_hitch_reason) reasons; /* of a hitch those that grew most first */
    char none[192];                         /* what is said where there are no hitches */
    uint32_t frame_thread;                  /* that runs the game frames; TK_NO_THREAD: not known */
};

/* The number of the frame that a mark stands for. */
static inline int64_t tk_hitch_frame(const struct tk_hitches *h, uint32_t mark)
{
    return h->marks.hitches.v[mark - TK_FRAME_CLASS_HITCH];
}

/* Is it the lane of this thread? */
static inline bool tk_hitch_lane_is(const struct tk_hitch_lane *lane, uint32_t thread)
{
    return lane->kind == TK_LANE_THREAD && lane->thread == thread;
}

/* Finds the reasons when all is read. 0, or -1 without memory. */
int tk_hitches_collect(struct tk_hitches *h);

#endif
