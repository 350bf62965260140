/*
 * Fence waits: queues of the GPU that came to a fence before the queue that sets it had done so. Beside the
 * waits of threads (wait_chains.h), for the table `bound`.
 */
#ifndef TK_MODEL_BOUNDS_FENCE_WAITS_H
#define TK_MODEL_BOUNDS_FENCE_WAITS_H

#include "fact/fact.h"
#include "base/health/row_limit.h"
#include "model/timeline/fence_signals.h"
#include "query/dict.h"

struct tk_fence_wait {
    int64_t begin, end; /* while facts are taken the same */
    uint64_t value;
    uint32_t queue, other;
};

/* Zero-initialise, then set both rooms. */
struct tk_fence_waits {
    struct tk_fence_signals signals;
    TK_VEC(struct tk_fence_wait) v; /* when all is read: those that waited, by begin */
    struct tk_row_limit room;
};

/* Takes a fact; ignores others than TK_FACT_GPU. 0, or -1 without memory. */
int tk_fence_waits_feed(struct tk_fence_waits *f, const struct tk_fact *fact);

/* To be called when all is read. 0, or -1 without memory. */
int tk_fence_waits_settle(struct tk_fence_waits *f);

/* The wait that has most of an interval, as "Compute 5.204 ms for fence 7 of Graphics": the length, 0 where
 * there is none, or a thousandth of it at most. room: bytes of the text. */
size_t tk_fence_waits_tell(const struct tk_fence_waits *f, const struct tk_dict *dict, int64_t from,
                           int64_t to, char *text, size_t room);

void tk_fence_waits_release(struct tk_fence_waits *f);

#endif
