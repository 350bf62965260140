/*
 * Facts about what graphics cards do, beside the scopes of their queues. See fact/fact.h for what holds of
 * all facts.
 */
#ifndef TK_FACT_GPU_H
#define TK_FACT_GPU_H

#include "tracekit.h"

/* A queue of a GPU: what is done on it comes one after another. Ids are dense; a later fact of the same id
 * replaces the first. */
struct tk_fact_gpu_queue {
    uint32_t id;
    uint32_t gpu, index;       /* which GPU, which of its queues of that type */
    uint64_t key;              /* as the capture names it */
    const struct tk_str *type; /* "Graphics", "Compute", ...; NULL: not known */
    const struct tk_str *name; /* never NULL */
};

enum tk_gpu_what {
    TK_GPU_SUBMIT, /* work begins at `time` that the program handed over at `stamp` */
    TK_GPU_FRAME,  /* a frame ends on the queue; what was drawn since the one before */
    TK_GPU_SIGNAL, /* a fence is set to `number` at `time` */
    TK_GPU_FENCE   /* from `time` on the queue waits until the fence of `other` is `number` at least */
};

/* What happens on a queue of a GPU beside its scopes. */
struct tk_fact_gpu {
    uint32_t queue;
    uint8_t what;               /* enum tk_gpu_what */
    bool timed;                 /* FRAME: there is a time */
    bool partial;               /* FRAME: the capture ends inside the frame, whose number is not known */
    bool has_before;            /* SUBMIT: the queue did something before */
    uint32_t other;             /* FENCE */
    uint32_t dropped;           /* FRAME: times in it that were of no use */
    uint64_t number;            /* FRAME: its number; SIGNAL, FENCE: value of the fence */
    uint64_t draws, primitives; /* FRAME */
    int64_t work, waiting;      /* FRAME: time of the work and of the waits that ended in it; -1: not told */
    int64_t stamp;              /* SUBMIT: since the start, as all times (fact.h) */
    int64_t before;             /* SUBMIT: when the queue was done with all that it had, since the start */
};

#endif
