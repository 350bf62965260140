/*
 * Frame rows: the sums of one timer in each game frame of the window, and those of closed frames. See
 * frame_sums.h, which moves the window.
 */
#ifndef TK_MODEL_SUMS_FRAME_ROWS_H
#define TK_MODEL_SUMS_FRAME_ROWS_H

#include "model/sums/timer_sums.h"

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

#endif
