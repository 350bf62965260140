/*
 * Loading frames: how long each frame was in timers of the kind loading on the thread of the frames, and
 * which frames are loading screens by it or by regions (judge/hitches.h).
 */
#ifndef TK_MODEL_FRAMES_LOADING_FRAMES_H
#define TK_MODEL_FRAMES_LOADING_FRAMES_H

#include "base/vec.h"
#include "fact/fact.h"
#include "model/threads/work_kind.h"
#include "query/slices.h"

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
