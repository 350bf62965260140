/*
 * Frame marks: which game frames are hitches (judge/hitches.h), and which frames near each of them are as
 * frames usually are there; the two in which reasons are found. All others are of no interest. Frames are
 * judged among all of the capture, also where times are selected: these only choose which hitches there are
 * to explain.
 */
#ifndef TK_MODEL_HITCHES_FRAME_CLASSES_H
#define TK_MODEL_HITCHES_FRAME_CLASSES_H

#include "judge/hitches.h"
#include "query/context.h"

/* What a frame is. */
#define TK_FRAME_CLASS_NONE    0u
#define TK_FRAME_CLASS_HITCH   2u          /* and more: the number of the hitch */
#define TK_FRAME_CLASS_TYPICAL 0x80000000u /* and more: the number of the group of frames that it is in */

/* So many frames nearest to a hitch that are not late, and as long as frames are expected to be there, say
 * what is usual. */
#define TK_TYPICAL_FRAMES 20u

/* Frames with the same mark, which are typical of a hitch: a group of them, or one that is a hitch itself. */
struct tk_frame_group {
    uint32_t hitch, mark, frames;
};

struct tk_frame_class_hitch {
    uint32_t frame, n_typical;
    uint64_t typical;   /* mean length of its typical frames, cycles */
    size_t first_group; /* in groups */
};

/* What is said where nothing can be. */
#define TK_FRAME_IS_ALONE "there is one game frame alone, and none that it could be late against"

struct tk_frame_classes {
    const struct tk_frames *frames; /* borrowed */
    uint32_t n;                     /* of frames: those that have an end */
    double *ms;                     /* owned: lengths of those whose ends are known */
    struct tk_judged_frames judged; /* of them */
    uint32_t *place;                /* owned, by frame: place among the judged ones; UINT32_MAX: not there */
    uint32_t *mark;                 /* owned, by frame */
    TK_VEC(uint32_t) marked;        /* frames with a mark, in order */
    TK_VEC(struct tk_frame_class_hitch) hitches; /* those to explain, in order */
    TK_VEC(struct tk_frame_group) groups;        /* by hitch */
    struct tk_hitch_rule rule;
    uint32_t longest;         /* of those that are listed; n: none is */
    uint64_t left_out;        /* hitches beyond the limit, the shortest ones */
    uint64_t startup_hitches; /* of those that are listed */
};

/* 0, or -1 without memory. */
int tk_frame_classes_build(struct tk_frame_classes *m, const struct tk_query_context *view,
                           const struct tk_hitch_rule *rule);

/* The same by the rule of the query. */
int tk_frame_classes_of_query(struct tk_frame_classes *m, const struct tk_query_context *view);

/* The rule that a query requests. */
struct tk_hitch_rule tk_hitch_rule_of(const struct tk_hitch_query *query);

/* The length of a frame, cycles. */
uint64_t tk_frame_classes_length(const struct tk_frame_classes *m, uint32_t frame);

/* What a frame is: TK_FRAME_IS_.... */
unsigned tk_frame_classes_is(const struct tk_frame_classes *m, uint32_t frame);

/* How long it was expected to take, cycles. */
uint64_t tk_frame_classes_expected(const struct tk_frame_classes *m, uint32_t frame);

/* The mark of the frame that a point in time lies in. */
uint32_t tk_frame_classes_at(const struct tk_frame_classes *m, int64_t time);

void tk_frame_classes_release(struct tk_frame_classes *m);

#endif
