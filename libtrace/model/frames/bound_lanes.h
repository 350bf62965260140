/*
 * Lanes of the table `bound` (bound.c): what threads and queues of the GPU did in each game frame, busy or
 * waiting, all lanes of one together, and which of them play a role: the one that runs the frames, the one
 * that renders, that of the RHI, the GPU.
 */
#ifndef TK_MODEL_BOUNDS_BOUND_LANES_H
#define TK_MODEL_BOUNDS_BOUND_LANES_H

#include "model/threads/work_kind.h"
#include "model/sums/packed_sums.h"

enum tk_bound_role { TK_BOUND_GAME, TK_BOUND_RENDER, TK_BOUND_RHI, TK_BOUND_GPU, TK_BOUND_ROLES };

#define TK_BOUND_NO_TIMER UINT32_MAX

/* A lane in a frame, cycles. */
struct tk_bound_share {
    int64_t busy, waiting;
    int64_t longest; /* own time of the timer that it waited in longest */
    int64_t limited; /* what of the waiting is in timers that hold the rate of frames down */
    uint32_t timer;  /* that one, or TK_BOUND_NO_TIMER */
};

/* Own times of timers in the frame that a lane is in. */
struct tk_bound_own {
    struct tk_bound_own_slot {
        uint32_t timer; /* 1 + the timer; 0: empty */
        int64_t own;
    } * slots;            /* owned; the timer stands at or behind its hash, half of them are empty */
    uint64_t key;         /* of the hash */
    uint32_t mask;        /* one less than there are; with slots NULL: 0 */
    TK_VEC(uint32_t) met; /* those that are not empty, in order of first appearance */
};

struct tk_bound_lane {
    uint32_t thread; /* or id of the queue */
    uint8_t kind;    /* enum tk_lane_kind */
    struct tk_child_times children;
    uint32_t frame;               /* the latest that a scope lay in */
    int64_t works;                /* own time in it of timers that are known not to wait */
    struct tk_bound_own own;      /* in it */
    struct tk_packed_sums done;   /* the same of the frames before */
    struct tk_interval_sums sums; /* of scopes over borders of frames, and of all others; parts are frames */
    struct tk_packed_sums runs;   /* those that are hardly going to change */
    int64_t all;                  /* time inside scopes in frames; in the end: of all lanes of the thread */
    struct tk_bound_lane *first;  /* of the thread's; in the end */
    bool idle;                    /* it cannot get a role: nothing is kept of it */
    bool has_role;
    enum tk_bound_role role;
    struct tk_bound_share *frames; /* owned; of a lane that has a role */
};

/* What of the own time of a timer in a frame is not its thread's, as a scope of another lane has it. */
struct tk_bound_overlap {
    uint32_t thread, timer, frame;
    uint8_t kind;
    int64_t cycles;
};

struct tk_bound_lanes {
    const struct tk_query_context *view; /* borrowed */
    uint32_t n_frames;                   /* those that have an end */
    struct tk_work_rules *work;          /* borrowed */
    struct tk_patterns no_patterns;
    struct tk_asked_timers asked;     /* all */
    TK_VEC(struct tk_bound_lane *) v; /* owned, by number; NULL: had no run */
    struct tk_map firsts;             /* by thread and kind: number of the first lane; in the end */
    TK_VEC(struct tk_bound_overlap) overlaps;
    TK_VEC(uint8_t) limits; /* by timer: 1 no, 2 it holds the rate of frames down; 0: not asked yet */
    uint32_t frame_thread;  /* that marks the game frames; TK_NO_THREAD: not known */
    bool marked;            /* the first of them was met: frame_thread is settled */
    bool news;              /* lanes or frame_thread are new since idle ones were looked for */
    struct tk_map names;    /* by thread: enum tk_bound_role of the name that it has in the end */
};

/* Begins empty; view and work are borrowed. The frames of the view are there, and what its dictionary knows
 * of threads holds to the end. 0, or -1 without memory. */
int tk_bound_lanes_init(struct tk_bound_lanes *l, const struct tk_query_context *view,
                        struct tk_work_rules *work);

/* Makes the lanes of a batch, as slices are taken by several workers. 0, or -1 without memory. */
int tk_bound_lanes_feed(struct tk_bound_lanes *l, const struct tk_batch *batch);

/* Adds slices to their lane. 0, or -1 without memory. */
int tk_bound_lanes_take(struct tk_bound_lanes *l, const struct tk_slices *s);

/* When all is read: gives the lanes their roles and their shares of the frames. 0, or -1 without memory. */
int tk_bound_lanes_settle(struct tk_bound_lanes *l);

/* The lane of a role that was busiest in a frame, and what it had there; NULL: there is none. */
const struct tk_bound_lane *tk_bound_lanes_at(const struct tk_bound_lanes *l, enum tk_bound_role role,
                                              uint32_t frame);

void tk_bound_lanes_release(struct tk_bound_lanes *l);

#endif
