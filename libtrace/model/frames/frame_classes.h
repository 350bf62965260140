/*
 * Frame marks: which game frames are hitches (judge/hitches.h), and which frames near each of them are as
 * frames usually are there; the two in which reasons are found. All others are of no interest. Frames are
 * judged among all of the capture, also where times are selected: these only choose which hitches there are
 * to explain.
 */
#ifndef TK_MODEL_HITCHES_FRAME_CLASSES_H
#define TK_MODEL_HITCHES_FRAME_CLASSES_H

#include "base/vec.h"
#include "fact/fact.h"
#include "judge/hitches.h"
#include "model/threads/work_kind.h"
#include "query/context.h"
#include "query/slices.h"

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

/*
 * Loading frames: how long each frame was in timers of the kind loading on the thread of the frames, and
 * which frames are loading screens by it or by regions (judge/hitches.h).
 */

/* What slices a builder needs for it. */
#define TK_LOADING_SLICES (TK_SLICE_BEGIN | TK_SLICE_PLACE)

struct tk_loading_call {
    int64_t begin, end;
};

/* Of one frame, cycles. */
struct tk_loading_time {
    uint32_t frame;
    uint64_t cycles;
};

struct tk_loading_lane {
    uint32_t thread;
    bool is_thread;
    TK_VEC(struct tk_loading_call) calls; /* the latest ones, none inside another */
    TK_VEC(struct tk_loading_time) times; /* of the frames that have some, in order of the ends of calls */
};

struct tk_loading_frames {
    const struct tk_query_context *view; /* borrowed */
    const struct tk_work_rules
        *work; /* borrowed; they learn of timers (tk_work_learn) before slices are taken */
    TK_VEC(struct tk_loading_lane) lanes; /* by number */
    uint32_t frame_thread;                /* that marks the game frames; TK_NO_THREAD: not known */
};

void tk_loading_frames_init(struct tk_loading_frames *l, const struct tk_query_context *view,
                            const struct tk_work_rules *work);

/* Takes a batch before its slices come. 0, or -1 without memory. */
int tk_loading_frames_feed(struct tk_loading_frames *l, const struct tk_batch *batch);

/* Slices of a lane; several workers may do so at one time, each with another lane. 0, or -1 without memory.
 */
int tk_loading_frames_take(struct tk_loading_frames *l, const struct tk_slices *s);

/* When all is read: sets TK_FRAME_IS_LOADING of frames, of which is[place[i]] is that of frame i,
 * ms[place[i]] its length, where place[i] is not UINT32_MAX. The view may have regions. 0, or -1 without
 * memory. */
int tk_loading_frames_mark(const struct tk_loading_frames *l, const uint32_t *place, uint32_t n_frames,
                           const double *ms, size_t n, uint8_t *is);

void tk_loading_frames_release(struct tk_loading_frames *l);

#endif
