/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_FRAMES_FRAMES_IN_H
#define TK_MODEL_FRAMES_FRAMES_IN_H

#include "base/hash.h"
#include "base/health/row_limit.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "model/frames/frame_classes.h"
#include "model/sums/interval_sums.h"
#include "model/sums/timer_sums.h"
#include "model/threads/switch_list.h"
#include "model/threads/work_kind.h"
#include "model/timeline/fence_signals.h"
#include "query/dict.h"

#include <stdbool.h>

/*
 * Lanes of the table `bound` (bound.c): what threads and queues of the GPU did in each game frame, busy or
 * waiting, all lanes of one together, and which of them play a role: the one that runs the frames, the one
 * that renders, that of the RHI, the GPU.
 */

enum tk_bound_role { TK_BOUND_GAME, TK_BOUND_RENDER, TK_BOUND_RHI, TK_BOUND_GPU, TK_BOUND_ROLES };

#define TK_BOUND_NO_TIMER UINT32_MAX

/* A lane in a frame, cycles. */
struct tk_bound_share {
    int64_t busy, waiting;
    int64_t longest; /* own time of the timer that it waited in longest */
    int64_t limited; /* what of the waiting is in timers that hold the rate of frames down */
    int64_t loading; /* what of busy is in timers that load */
    int64_t off;     /* what of the waiting is time on no core, in timers that do not wait */
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

/* When a thread that may have a role was on a core, where context switches are recorded. */
struct tk_bound_core {
    uint32_t thread;
    uint64_t system_id;
    uint64_t *on; /* owned; by frame, cycles */
    bool any;     /* it ran at all */
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
    struct tk_requested_timers requested; /* all */
    TK_VEC(struct tk_bound_lane *) v;     /* owned, by number; NULL: had no run */
    struct tk_map firsts;                 /* by thread and kind: number of the first lane; in the end */
    TK_VEC(struct tk_bound_overlap) overlaps;
    uint32_t frame_thread; /* that marks the game frames; TK_NO_THREAD: not known */
    bool marked;           /* the first of them was met: frame_thread is settled */
    bool news;             /* lanes or frame_thread are new since idle ones were looked for */
    struct tk_map names;   /* by thread: enum tk_bound_role of the name that it has in the end */
    TK_VEC(struct tk_bound_core) cores;
    int64_t cores_from, cores_to; /* when runs on cores were recorded; the latter not later: never */
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

/*
 * Fence waits: queues of the GPU that came to a fence before the queue that sets it had done so. Alongside
 * the waits of threads, for the table `bound`.
 */

struct tk_fence_wait {
    int64_t begin, end; /* while facts are taken the same */
    uint64_t value;
    uint32_t queue, other;
};

/* Zero-initialise, then set both spaces. */
struct tk_fence_waits {
    struct tk_fence_signals signals;
    TK_VEC(struct tk_fence_wait) v; /* when all is read: those that waited, by begin */
    struct tk_row_limit capacity;
};

/* Takes a fact; ignores others than TK_FACT_GPU. 0, or -1 without memory. */
int tk_fence_waits_feed(struct tk_fence_waits *f, const struct tk_fact *fact);

/* To be called when all is read. 0, or -1 without memory. */
int tk_fence_waits_settle(struct tk_fence_waits *f);

/* The wait that has most of an interval, as "Compute 5.204 ms for fence 7 of Graphics": the length, 0 where
 * there is none, or a thousandth of it at most. capacity: bytes of the text. */
size_t tk_fence_waits_tell(const struct tk_fence_waits *f, const struct tk_dict *dict, int64_t from,
                           int64_t to, char *text, size_t capacity);

void tk_fence_waits_release(struct tk_fence_waits *f);

/*
 * Longest calls: of each timer in a hitch its longest call there, to say how long of it the thread was on no
 * core.
 */

struct tk_longest_call {
    int64_t begin, end; /* cycles since the start, inside the frame */
};

/* Of one lane. Zero-initialise to begin. */
struct tk_longest_calls {
    struct tk_map index; /* mark and timer -> place */
    TK_VEC(struct tk_longest_call) v;
};

/* Offers a call of a timer in the frame of a mark. 0, or -1 without memory. */
int tk_longest_calls_put(struct tk_longest_calls *c, uint32_t mark, uint32_t timer, int64_t begin,
                         int64_t end);

/* The longest; NULL: there is none. */
const struct tk_longest_call *tk_longest_calls_find(const struct tk_longest_calls *c, uint32_t mark,
                                                    uint32_t timer);

void tk_longest_calls_release(struct tk_longest_calls *c);

/*
 * Wait causes: what the capture records of the tasks and locks that threads waited for in frames that are
 * marked, to say what a waiting thread waited for. Only what happens in those frames is kept.
 */

#define TK_WAIT_CAUSE_FACTS (TK_FACT_MASK(TASK) | TK_FACT_MASK(TASK_WAIT) | TK_FACT_MASK(LOCK))

/* Something that happened in a hitch. */
struct tk_wait_event {
    int64_t time;
    uint64_t task; /* of a wait: the first task; 0 at its end. Of a lock: its id */
    const struct tk_str *name;
    uint32_t mark, thread;
    uint32_t other; /* of an end of a wait, when all is read: place of its begin; TK_WAIT_NONE: not there */
    uint8_t what;   /* enum tk_task_what, or one of TK_WAIT_... */
};

#define TK_WAIT_BEGIN 64u
#define TK_WAIT_END   65u
#define TK_WAIT_LOCK  66u /* and more: enum tk_lock_what */
#define TK_WAIT_NONE  (UINT32_MAX - 1)

/* Zero-initialise to begin. */
struct tk_wait_causes {
    TK_VEC(struct tk_wait_event) v; /* as they came; sorted by tk_wait_causes_finish */
    bool any;                       /* the capture reports waits for tasks at all */
};

/* What a thread waited for longest in a hitch. */
struct tk_wait_cause {
    bool lock; /* not a task */
    uint64_t task;
    const struct tk_str *name; /* NULL: not reported in the frame */
    uint32_t thread; /* that ran the task or held the lock; TK_NO_THREAD: not reported in the frame */
    int64_t waited;  /* cycles */
};

/* Takes a fact; ignores others than TK_WAIT_CAUSE_FACTS. 0, or -1 without memory. */
int tk_wait_causes_feed(struct tk_wait_causes *c, const struct tk_frame_classes *marks,
                        const struct tk_fact *fact);

/* To be called when all is read. 0, or -1 without memory. */
int tk_wait_causes_finish(struct tk_wait_causes *c);

/* false: the capture does not tell. */
bool tk_wait_causes_find(const struct tk_wait_causes *c, uint32_t mark, uint32_t thread,
                         struct tk_wait_cause *out);

void tk_wait_causes_release(struct tk_wait_causes *c);

/*
 * Reasons of hitches: what timers had in frames that took too long, against what they usually have, and what
 * of it grew. Shared by the files that read (hitches.c), reason (hitch_reasons.c) and send rows
 * (hitch_rows.c).
 */

/* The end of a frame of a queue of the GPU. */
struct tk_gpu_frame_end {
    uint32_t queue;
    int64_t time;
};

/* In the place of a timer. */
#define TK_HITCH_ON_NO_CORE UINT32_MAX
#define TK_HITCH_OUTSIDE    (UINT32_MAX - 1) /* outside every scope */

#define TK_HITCH_NO_LANE UINT32_MAX /* in the place of a lane: the thread of the frames has no scopes */

struct tk_hitch_lane {
    uint32_t thread; /* or id of the queue */
    uint8_t kind;    /* enum tk_lane_kind */
    uint32_t next;   /* the next lane of the thread; UINT32_MAX: none */
    bool joined;     /* what it had is with the first lane of the thread */
    struct tk_child_times children, off_children;
    struct tk_interval_sums sums; /* the parts are marks of frames */
    struct tk_interval_sums off;  /* the same of the time on no core, where it is known when the thread ran */
    struct tk_longest_calls calls; /* of what ran is known, and of queues of the GPU */
    bool running;                  /* it is known when the thread ran */
};

/* What of the own time of a timer is not its thread's, as a scope of another lane has it. */
struct tk_hitch_overlap {
    uint32_t thread, timer, mark;
    uint8_t kind;
    int64_t cycles;
    int64_t off; /* of them: on no core; 0 where that is not known */
};

struct tk_hitch_reason {
    uint32_t mark, lane, timer; /* lane: the first of the thread */
    uint8_t work;               /* enum tk_work; TK_WORK_KINDS: no timer */
    bool attached;              /* of another thread or the GPU: what the first reason waited for */
    uint64_t count;
    int64_t own, usual, growth;
    int64_t off, off_usual; /* of own, usual: on no core; 0 where that is not known */
};

/* What the thread of the frames had in frames of a mark, cycles. */
struct tk_hitch_totals {
    int64_t own, work, limited;
    int64_t off, off_waiting, off_working; /* on no core: of all, in timers that wait, in others */
};

/* What is said of a hitch as a whole. */
struct tk_hitch_sum {
    size_t first;     /* its first reason */
    size_t n;         /* reasons */
    int64_t excess;   /* beyond the mean of its typical frames; 0 without any */
    int64_t taken;    /* the same, and what a limiter waited less */
    double explained; /* by scopes, 0 to 1; NaN: not known */
    bool usual;       /* it is as long as usual */
};

struct tk_hitches {
    const struct tk_query_context *view;
    struct tk_frame_classes marks;
    struct tk_work_rules work;
    struct tk_loading_frames loading;
    struct tk_core_times running;
    struct tk_patterns no_patterns;
    struct tk_requested_timers requested; /* all */
    struct tk_wait_causes causes;
    TK_VEC(struct tk_hitch_lane *) lanes; /* owned, by number; NULL: had no run */
    struct tk_map firsts;                 /* by thread and kind: its first lane; in the end */
    TK_VEC(struct tk_hitch_overlap) overlaps;
    TK_VEC(struct tk_hitch_reason) reasons; /* by hitch */
    TK_VEC(struct tk_hitch_sum) sums;       /* by hitch; when they are collected */
    TK_VEC(struct tk_gpu_frame_end) gpu_frames;
    struct tk_row_limit gpu_space;
    int64_t cores_from, cores_to; /* when runs on cores were recorded; the latter not later: never */
    char none[256];               /* what is said where there are no hitches */
    uint32_t frame_thread;        /* that runs the game frames; TK_NO_THREAD: not known */
};

/* The number of the frame that a mark stands for. */
static inline int64_t tk_hitch_frame(const struct tk_hitches *h, uint32_t mark)
{
    return h->marks.hitches.v[mark - TK_FRAME_CLASS_HITCH].frame;
}

/* Was it recorded who ran in a frame? */
static inline bool tk_hitch_knows_cores(const struct tk_hitches *h, uint32_t frame)
{
    const struct tk_range *r = &h->marks.frames->v[frame];
    return r->from >= h->cores_from && r->to <= h->cores_to;
}

/* Is it the lane of this thread? */
static inline bool tk_hitch_lane_is(const struct tk_hitch_lane *lane, uint32_t thread)
{
    return lane->kind == TK_LANE_THREAD && lane->thread == thread;
}

/* Finds the reasons when all is read. 0, or -1 without memory. */
int tk_hitches_collect(struct tk_hitches *h);

/*
 * Rows of the table `hitches`: a hitch with its reasons, and their causes.
 */

extern const struct tk_table tk_hitch_table;

/* Sends all hitches when their reasons are collected. As tk_emit_status. */
int tk_hitches_send(const struct tk_hitches *h, struct tk_emit *emit, struct tk_err *err);

/*
 * Wait chains: what the capture records of who waited for whom, for tasks and for locks, and from a wait the
 * one of the thread that it was for.
 */

#define TK_WAIT_CHAIN_FACTS (TK_FACT_MASK(TASK) | TK_FACT_MASK(TASK_WAIT) | TK_FACT_MASK(LOCK))

/* A wait of a thread, and for whom. */
struct tk_chain_wait {
    int64_t begin, end;        /* cycles since the start; end INT64_MAX: not reported */
    int64_t ready;             /* when the task finished or the lock was released; else as end */
    uint64_t id;               /* of the task, of several the one that finished last; or of the lock */
    const struct tk_str *name; /* NULL: not reported */
    uint32_t thread;
    uint32_t target;   /* that ran the task or held the lock; TK_NO_THREAD: not reported */
    uint32_t releaser; /* that gave the lock back last; TK_NO_THREAD: not reported, or no lock */
    uint32_t around;   /* place of the wait that it happened in, one more; 0: none */
    uint32_t first;    /* of several tasks: place of the second one in `more` */
    uint32_t n;        /* of these; 0: one task alone */
    bool lock;
};

#define TK_CHAIN_NEVER INT64_MIN /* in the place of a time: not reported */

/* A task, as far as it is reported. */
struct tk_chain_task {
    int64_t launched, started, finished; /* or TK_CHAIN_NEVER */
    const struct tk_str *name;
    uint32_t launcher, runner; /* threads */
};

/* Something that happened, until all is sorted out. */
struct tk_chain_event {
    int64_t time;
    uint64_t id;
    const struct tk_str *name;
    uint32_t thread;
    uint8_t what; /* enum tk_task_what, or one of those in wait_chains.c */
};

/* Zero-initialise, then set space. */
struct tk_wait_chains {
    TK_VEC(struct tk_chain_event) events;
    TK_VEC(struct tk_chain_wait) v;     /* when all is read: by thread and begin */
    TK_VEC(struct tk_chain_task) tasks; /* likewise, in order of first appearance */
    TK_VEC(uint64_t) more;              /* tasks of waits for several */
    struct tk_row_limit capacity;
};

/* Takes a fact; ignores others than TK_WAIT_CHAIN_FACTS. 0, or -1 without memory. */
int tk_wait_chains_feed(struct tk_wait_chains *c, const struct tk_fact *fact);

/* To be called when all is read. 0, or -1 without memory. */
int tk_wait_chains_settle(struct tk_wait_chains *c);

/* The wait of a thread that has most of an interval, cycles since the start; NULL: there is none. */
const struct tk_chain_wait *tk_wait_chains_longest(const struct tk_wait_chains *c, uint32_t thread,
                                                   int64_t from, int64_t to);

#define TK_WAIT_LEAST_PART 1000 /* of the interval that a wait has to have to be reported */
#define TK_WAIT_LOOK_BACK  64u  /* waits that began so many places before may still go on */
#define TK_WAIT_TIME       32   /* bytes of the text of a time */

/* "5.204 ms", "25.3 us". */
void tk_wait_time_text(int64_t ns, char text[TK_WAIT_TIME]);

#define TK_CHAIN_TEXT 512 /* bytes of the text of a chain */

/*
 * What a thread waited for in an interval, what the one waited for that it waited for, and so on: "GameThread
 * 5 ms for task Bake on Worker; Worker 3 ms for lock scene held by Loader". The length, 0 where there is no
 * wait.
 */
size_t tk_wait_chains_tell(const struct tk_wait_chains *c, const struct tk_dict *dict, uint32_t thread,
                           int64_t from, int64_t to, char text[TK_CHAIN_TEXT]);

void tk_wait_chains_release(struct tk_wait_chains *c);

/*
 * Links: where a thread went on because another one did something, for critical paths: waits for tasks and
 * locks, starts of tasks, and time on no core that a wake-up ended.
 */

#define TK_LINK_FACTS (TK_WAIT_CHAIN_FACTS | TK_FACT_MASK(SWITCH) | TK_FACT_MASK(SYSTEM_THREAD))

/* A thread that is none of the capture: this and its place among those of the system. */
#define TK_LINK_OTHER 0x80000000u

enum tk_link_via { TK_LINK_END, TK_LINK_WAKE_UP, TK_LINK_TASK, TK_LINK_LOCK, TK_LINK_NOT_RECORDED };

struct tk_link {
    int64_t begin; /* cycles since the start: it waited from then on, */
    int64_t ready; /* the other one let it go on, begin <= ready <= end, */
    int64_t end;   /* and it went on */
    uint32_t who, target;
    uint8_t via;  /* enum tk_link_via, not TK_LINK_END */
    bool start;   /* it is the start of a task, which counts where the thread did nothing meanwhile */
    bool no_core; /* it was on no core */
};

/* A stretch of time on a core. */
struct tk_link_run {
    int64_t begin, end, woken; /* woken: TK_CHAIN_NEVER: not reported */
    uint32_t system, core;     /* system: place among those of the system */
    uint32_t waker_core;
};

/* Zero-initialise, then set the space of the chains. */
struct tk_links {
    struct tk_wait_chains chains;
    struct tk_system_threads system;
    TK_VEC(struct tk_link_run) runs;
    TK_VEC(bool) ran;         /* by place among those of the system */
    TK_VEC(struct tk_link) v; /* when all is read: by who and end */
};

/* Takes a fact; ignores others than TK_LINK_FACTS. 0, or -1 without memory. */
int tk_links_feed(struct tk_links *l, const struct tk_fact *fact);

/* To be called when all is read. 0, or -1 without memory. */
int tk_links_settle(struct tk_links *l, const struct tk_dict *dict);

/* The first of the links of a thread, and how many there are. */
const struct tk_link *tk_links_of(const struct tk_links *l, uint32_t who, size_t *n);

/* Is it recorded when a thread was on a core? */
bool tk_links_knows_cores(const struct tk_links *l, uint32_t who);

/* The name of a thread of links; NULL: not known. */
const struct tk_str *tk_links_name(const struct tk_links *l, const struct tk_dict *dict, uint32_t who);

void tk_links_release(struct tk_links *l);

#endif
