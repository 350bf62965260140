/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_THREADS_THREADS_IN_H
#define TK_FORMAT_UTRACE_FAMILIES_THREADS_THREADS_IN_H

#include "base/hash.h"
#include "format/utrace/feed/family.h"

/*
 * GPU queues: state of the GPU family, shared by the forms of its events (events 5). Times are those of
 * facts: parts of cycles where a capture has such.
 *
 *   fam_gpu.c    events of queues, whose times are cycles (events 5.2)  --> gpu_queue.c --> scopes, facts
 *   gpu_frame_events.c    frames of a whole GPU in its own microseconds (events 5.1)  -----^
 */

/* One of the two stacks of a queue. */
struct tk_ut_gpu_line {
    TK_VEC(uint8_t) open; /* of each open scope: was it left out, because its begin has no time? */
    uint64_t over;        /* open scopes beyond the limit; they are all inside of those */
    int64_t last;         /* greatest time so far, INT64_MIN before */
};

struct tk_ut_gpu_queue {
    struct tk_fact_gpu_queue info;
    bool defined; /* by the capture, not made up */

    /* of the reading */
    struct tk_ut_gpu_line marks, work;
    int64_t last_end; /* greatest end of work or of a wait, INT64_MIN before */
    uint64_t draws, primitives;
    int64_t work_begin;     /* of the work that is open, INT64_MIN: none */
    int64_t worked, waited; /* since the last frame; worked -1: the queue says no work */
    uint32_t dropped;       /* times of no use, since the last frame */
    bool drawn;             /* there were draws since the last frame */
    uint64_t last_us;       /* old form: the last time that was accepted */
    bool has_us;
    uint32_t writer; /* the last thread that reported of it */
};

/* A spec that scopes referred to before it was defined. */
struct tk_ut_gpu_late {
    uint64_t spec;
    uint32_t slot;
    bool reported; /* it came, or health knows that it did not */
};

/* What a spec says alongside its timer. */
struct tk_ut_gpu_text {
    const struct tk_str *name;
    struct tk_str format; /* what of it is for the values of a scope */
};

struct tk_ut_gpu {
    TK_VEC(struct tk_ut_gpu_queue) queues; /* by id */
    struct tk_map index;                   /* key -> id */
    struct tk_map specs;                   /* spec -> timer */
    struct tk_map late_index;              /* spec -> place in late */
    TK_VEC(struct tk_ut_gpu_late) late;
    struct tk_map text_index; /* spec -> place in texts */
    TK_VEC(struct tk_ut_gpu_text) texts;
    uint32_t work, wait; /* timers of the work line; one more than the id, 0: not made yet */
};

/* Specs of the old form have numbers of their own. */
#define TK_UT_GPU_OLD (UINT64_C(1) << 32)

/* The queue of a key, made up where it is not defined; NULL when memory or the limit is out (*rc says which:
 * TK_ENOMEM, or TK_OK with a note). Valid until the next call. */
struct tk_ut_gpu_queue *tk_ut_gpu_queue(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t key, int *rc);

/* Defines a queue; type NULL: not known. */
int tk_ut_gpu_define(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t key, const struct tk_str *type);

/* Sets the timer of a spec by its name, and says it to scopes that came before. */
int tk_ut_gpu_spec(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t spec, const struct tk_str *name);

/* What scopes of a spec begin with: its timer, or TK_LATE + slot. */
int tk_ut_gpu_timer(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint64_t spec, uint32_t *out);

/* The end of a reading: says health of specs that never came. */
void tk_ut_gpu_settle(struct tk_ut_feed *feed, struct tk_ut_gpu *g);

/* A scope begins or ends on a line (TK_LANE_GPU or TK_LANE_GPU_WORK). A time that is not there drops both
 * ends of its scope. Times that go backwards are raised by whoever works the scopes off. */
struct tk_ut_gpu_time {
    int64_t t;
    bool there;
};
int tk_ut_gpu_begin(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, uint8_t kind, uint32_t timer,
                    struct tk_ut_gpu_time time);
int tk_ut_gpu_end(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, uint8_t kind,
                  struct tk_ut_gpu_time time);

/* A reading begins: forgets what an earlier one left. */
void tk_ut_gpu_start(struct tk_ut_gpu *g);

/* Bytes of a thread are missing, or events of any (TK_NO_THREAD): the scopes that it reported of are lost. */
int tk_ut_gpu_cut(struct tk_ut_feed *feed, struct tk_ut_gpu *g, uint32_t writer);

/* Says what was drawn up to here, as a frame of this number or (partial) as what is left at the end. */
int tk_ut_gpu_frame(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, uint64_t number, bool partial);

/* Counts a time of a queue that is of no use. */
void tk_ut_gpu_drop(struct tk_ut_feed *feed, struct tk_ut_gpu_queue *q, const char *why);

/* Handlers of the old form: spec, frame of the first and of the second GPU. */
int tk_ut_gpu_old_spec(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_gpu_old_frame1(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_gpu_old_frame2(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);

#endif
