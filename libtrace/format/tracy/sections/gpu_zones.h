/*
 * GPU contexts and zones as they are read (sec_gpu.c), and the facts made of them: records and rows
 * (gpu_record.c), scopes (gpu_scopes.c).
 */
#ifndef TK_FORMAT_TRACY_SECTIONS_SCOPES_GPU_ZONES_H
#define TK_FORMAT_TRACY_SECTIONS_SCOPES_GPU_ZONES_H

#include "format/tracy/walk/section.h"

struct tk_tracy_gpu_context {
    uint64_t at, tid, zones, overflow;
    uint32_t number; /* in the order of the file */
    uint32_t thread; /* TK_NO_THREAD: zones have their own */
    bool calibrated;
    float period; /* ns a tick of the GPU */
    uint8_t type;
    const struct tk_str *name; /* NULL: none */
};

/* A begin or an end of a zone. */
struct tk_tracy_gpu_event {
    uint64_t at;
    int64_t cpu, gpu; /* ns; gpu -1: never given */
    bool begin;
    int16_t location;
    uint32_t callstack, thread;
    uint64_t children;
    uint16_t query; /* of an end */
    uint64_t depth;
};

struct tk_tracy_gpu_note {
    uint64_t at;
    uint16_t query;
    int64_t id;
    double value;
};

/* A timeline of a context. */
struct tk_tracy_gpu_timeline {
    uint32_t index;  /* among those of its context */
    uint32_t thread; /* number, or TK_NO_THREAD */
    bool alone;      /* the context has no other */
};

/* Scopes of the timeline under way, each a queue. */
struct tk_tracy_gpu_scopes {
    uint32_t n_queues, n_timers; /* so far, of all timelines */
    uint32_t queue, lane;
    bool has_lane;
    int64_t last; /* time of the last begin or end that was told */
    size_t from;  /* where its entries of this batch begin */
};

/* The name of a type of contexts; NULL: it is not known. */
const struct tk_str *tk_tracy_gpu_type(uint8_t type);

/* ---- records and rows, where they are wanted: TK_OK or TK_ENOMEM ---- */

int tk_tracy_gpu_say_context(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c);
int tk_tracy_gpu_say_zone(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                          const struct tk_tracy_gpu_event *ev);
int tk_tracy_gpu_say_note(struct tk_tracy_walk *w, const struct tk_tracy_gpu_context *c,
                          const struct tk_tracy_gpu_note *note);

/* ---- scopes, where they are wanted: TK_OK or TK_ENOMEM ---- */

/* Begins a timeline: tells its queue. */
int tk_tracy_gpu_scopes_begin(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s,
                              const struct tk_tracy_gpu_context *c,
                              const struct tk_tracy_gpu_timeline *timeline);

/* A begin or an end, which goes to the batch. */
int tk_tracy_gpu_scopes_put(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s,
                            const struct tk_tracy_gpu_event *ev);

/* Ends the run of the timeline in this batch: at the end of either. */
int tk_tracy_gpu_scopes_end_run(struct tk_tracy_walk *w, struct tk_tracy_gpu_scopes *s);

#endif
