/*
 * Frame sums: how much time each timer has in each game frame, and from that the mean and a percentile over
 * all frames.
 *
 * Sums of single frames are only held for a window of frames, half of it behind the newest one; when a frame
 * leaves the window, its sums are closed into sketches. What comes later for it still counts in the totals,
 * so that means stay exact; percentiles do without it, and it is counted as late.
 */
#ifndef TK_MODEL_SUMS_FRAME_SUMS_H
#define TK_MODEL_SUMS_FRAME_SUMS_H

#include "model/sums/timer_sums.h"
#include "query/context.h"

/*
 * Frame rows: the sums of one timer in each game frame of the window, and those of closed frames.
 */

/* Sums of a timer in a set. Cycles, clipped to frames and selection. */
struct tk_frame_row {
    uint64_t total;        /* of closed frames, and what came late for them */
    uint64_t busy;         /* closed frames with a sum that is not 0 */
    uint64_t most;         /* greatest sum of a frame */
    struct tk_sketch sums; /* of those frames, TK_SKETCH_FRAMES */
    uint64_t open[];       /* sum of frame f at f modulo the size of the window */
};

/* Adds closed frames of a row to another, as if no frame were in both. 0, or -1 if out of memory. */
int tk_frame_row_merge(struct tk_frame_row *into, const struct tk_frame_row *from);

/* The row of a side, made on first use; NULL if out of memory. */
struct tk_frame_row *tk_frame_row_of(struct tk_timer_sum_side *side, uint32_t window_size);

/* Makes the row of a timer that had nothing pending, and lists it. 0, or -1 if out of memory. */
int tk_frame_pend(struct tk_timer_sum_set *set, uint32_t timer, struct tk_timer_sum_side *side);

/* NULL is allowed. */
void tk_frame_row_free(struct tk_frame_row *row);

/* Frames of the window: where all lanes share the sums, and where each has its own. */
#define TK_FRAMES_SHARED   256u
#define TK_FRAMES_PER_LANE 64u

/* Of a scope that covers more frames in full, only the newest so many are counted one by one; the others are
 * late. */
#define TK_FRAMES_SPREAD 4096u

struct tk_frame_sums {
    const struct tk_frames *frames; /* borrowed */
    const struct tk_select *select; /* borrowed */
    struct tk_dict *dict;           /* borrowed; says late timers */
    struct tk_frame_window window;
    uint32_t n_frames;   /* of frames: those that have an end */
    uint64_t n_selected; /* of those: that touch the selection */
    uint64_t late;       /* scopes that came for closed frames; one counts once a frame */
    bool by_source;      /* timers of one name are apart by their places */
    bool per_lane;       /* sets are not summed up */
    bool finishing;      /* what the dictionary does not tell now it never will */
};

/* view->frames must be there. */
void tk_frame_sums_init(struct tk_frame_sums *s, const struct tk_query_context *view, bool per_lane);

/*
 * Moves the window on and takes in what lies outside of it, for n sets that share the window (NULL ones are
 * skipped). Sums of closed frames are then in the first set, or per lane in their own. No set may be in use.
 * 0, or -1 if out of memory.
 */
int tk_frame_sums_advance(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets, size_t n);

/* The same at the end: closes all frames. */
int tk_frame_sums_finish(struct tk_frame_sums *s, struct tk_timer_sum_set *const *sets, size_t n);

/* Percentile share / of over all selected frames, those without a sum included; row may be NULL. Cycles. */
uint64_t tk_frame_sums_percentile(const struct tk_frame_sums *s, const struct tk_frame_row *row,
                                  unsigned share, unsigned of);

#endif
