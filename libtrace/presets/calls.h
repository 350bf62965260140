/*
 * Calls: the scopes of a capture one by one, as begins and ends that nest, in cycles. Presets read them from
 * the timeline of the model.
 *
 * Scopes of the lines of threads and of what is marked on queues of GPUs; when a queue works and waits is
 * left out. Scopes open at the end of their thread may end there; those that never end are reported when all
 * is read, the innermost first, with the end TK_CALL_NEVER.
 */
#ifndef TK_EXPORT_PRESET_CALLS_H
#define TK_EXPORT_PRESET_CALLS_H

#include "base/arena.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "presets/preset.h"
#include "query/context.h"

#define TK_CALL_NEVER INT64_MAX

/* Where calls are. */
struct tk_call_track {
    bool gpu;
    uint32_t thread; /* its id in the capture; of a queue: of the queue */
    uint64_t key;    /* of a queue, as the capture names it; above 32 bits: of a whole GPU */
    const struct tk_str *name;
    bool wanted; /* for who takes the calls: false leaves the track out */
};

struct tk_call {
    uint32_t track;
    uint32_t timer;     /* of tk_calls.timers */
    uint32_t depth;     /* calls around it */
    bool outer;         /* no call of the same timer is around it */
    uint64_t seq;       /* number in its track, in order of begins */
    int64_t begin, end; /* cycles since the start */
};

struct tk_call_timer {
    uint32_t line;
    uint8_t kind;                     /* enum tk_timer_kind */
    const struct tk_str *name, *file; /* file NULL: not known; NULL name: there is no such timer */
};

struct tk_calls;

/* Who takes calls. Hooks may be NULL; each returns TK_OK or negative, which ends the reading. */
struct tk_call_taker {
    int (*track)(void *self, struct tk_call_track *track, struct tk_err *err); /* may set wanted */
    int (*begin)(void *self, const struct tk_call *call, struct tk_err *err);  /* end is not known */
    int (*end)(void *self, const struct tk_call *call, struct tk_err *err);
    int (*done)(void *self, struct tk_err *err); /* all is read and known, nothing that never ends was told */
};

/* What a reading leaves behind. Zero-initialise, then set closes, taker and self. */
struct tk_calls {
    bool closes; /* scopes open at the end of their thread end there */
    const struct tk_call_taker *taker;
    void *self;

    struct tk_fact_clock clock;
    int64_t last; /* highest time that was read, cycles since the start; 0 where there is none */
    TK_VEC(struct tk_call_track) tracks;
    TK_VEC(struct tk_call_timer) timers;     /* by number */
    TK_VEC(struct tk_fact_gpu_queue) queues; /* that have a name, in order */
    TK_VEC(struct tk_range) frames;          /* game frames in order; cycles since the start */
    struct tk_intern texts;

    const struct tk_query_context *view;   /* while reading */
    struct tk_map index;                   /* id of a track of the timeline -> index in tracks */
    TK_VEC(struct tk_call_stack *) stacks; /* owned; by track */
};

/* Reads the capture. Tracks, timers and frames are as told so far while calls come, complete at `done`. As
 * tk_run. */
int tk_calls_read(struct tk_calls *calls, const struct tk_preset_job *job, struct tk_err *err);

/* Seconds since the start, as a double divided once. */
double tk_calls_seconds(const struct tk_fact_clock *clock, int64_t cycles);

void tk_calls_release(struct tk_calls *calls);

#endif
