/*
 * Signals of fences of GPU queues: when each queue set which value. The table of fences and the waits of
 * frames find in it what ended a wait (events 5.2).
 */
#ifndef TK_MODEL_GPU_FENCE_SIGNALS_H
#define TK_MODEL_GPU_FENCE_SIGNALS_H

#include "base/health/row_limit.h"
#include "base/vec.h"
#include "fact/fact.h"

struct tk_fence_signal {
    int64_t time;
    uint64_t value;
};

/* Those of a queue whose value is greater than that of all before: no other can be the first. */
struct tk_queue_signals {
    TK_VEC(struct tk_fence_signal) v;
};

/* Zero-initialise, then set space. */
struct tk_fence_signals {
    TK_VEC(struct tk_queue_signals) queues; /* by queue */
    size_t n;                               /* of all of them */
    struct tk_row_limit capacity;
};

/* Takes a fact TK_FACT_GPU of TK_GPU_SIGNAL. 0, or -1 if out of memory. */
int tk_fence_signals_add(struct tk_fence_signals *s, const struct tk_fact *fact);

/* The first signal of a queue with this value or more, or NULL. */
const struct tk_fence_signal *tk_fence_signal_find(const struct tk_fence_signals *s, uint32_t queue,
                                                   uint64_t value);

void tk_fence_signals_release(struct tk_fence_signals *s);

#endif
