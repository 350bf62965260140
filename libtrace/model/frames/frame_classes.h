/*
 * Frame marks: which game frames took too long, and which are as frames usually are; the two in which hitches
 * are found. All others are of no interest. The typical frame is that of all frames, also where times are
 * selected: these only choose which hitches there are to explain.
 */
#ifndef TK_MODEL_HITCHES_FRAME_CLASSES_H
#define TK_MODEL_HITCHES_FRAME_CLASSES_H

#include "query/context.h"

/* What a frame is. */
#define TK_FRAME_CLASS_NONE    0u
#define TK_FRAME_CLASS_TYPICAL 1u
#define TK_FRAME_CLASS_HITCH   2u /* and more: the number of the hitch */

/* So many frames without a hitch among them end the start-up. */
#define TK_CALM_FRAMES 10u

/* A frame that takes more times the median is a hitch where nothing else is said. */
#define TK_HITCH_TIMES 2.0

/* The frames nearest to the median, at most so many, say what is usual. */
#define TK_TYPICAL_FRAMES 101u

struct tk_frame_classes {
    const struct tk_frames *frames; /* borrowed */
    uint32_t n;                     /* of frames: those that have an end */
    uint32_t *mark;                 /* owned, by frame */
    TK_VEC(uint32_t) marked;        /* frames with a mark, in order */
    TK_VEC(uint32_t) hitches;       /* frames that took too long, in order */
    uint64_t n_usual;
    uint32_t
        startup; /* frames before this one are the start-up, after which frames are no hitches for a while */
    uint32_t longest;        /* of those that are listed; n: none is */
    uint64_t median, budget; /* cycles */
    uint64_t left_out;       /* hitches beyond the limit, the shortest ones */
};

/* Frames that take longer than a budget in cycles are hitches, or without one (0) longer than `times`
 * medians. 0, or -1 without memory. */
int tk_frame_classes_build(struct tk_frame_classes *m, const struct tk_query_context *view, uint64_t budget,
                           double times);

/* The same with the budget of the query. */
int tk_frame_classes_of_query(struct tk_frame_classes *m, const struct tk_query_context *view);

/* The length of a frame, cycles. */
uint64_t tk_frame_classes_length(const struct tk_frame_classes *m, uint32_t frame);

/* The mark of the frame that a point in time lies in. */
uint32_t tk_frame_classes_at(const struct tk_frame_classes *m, int64_t time);

void tk_frame_classes_release(struct tk_frame_classes *m);

#endif
