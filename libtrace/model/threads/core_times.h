/*
 * Running: when threads of the capture were on a core, for how much of a scope its thread really ran.
 */
#ifndef TK_MODEL_EXECUTION_CORE_TIMES_H
#define TK_MODEL_EXECUTION_CORE_TIMES_H

#include "model/threads/switch_list.h"

struct tk_core_times_thread;

/* Zero-initialise to begin. */
struct tk_core_times {
    const struct tk_select *select; /* borrowed */
    struct tk_map index;            /* thread -> place */
    TK_VEC(struct tk_core_times_thread) threads;
};

/* Takes over the runs of all threads of the capture from a finished list. What is selected is compiled then.
 * 0, or -1 if out of memory. */
int tk_core_times_build(struct tk_core_times *r, const struct tk_switch_list *list,
                        const struct tk_select *select);

/* Is anything known of a thread? */
bool tk_core_times_knows(const struct tk_core_times *r, uint32_t thread);

/* Cycles that a thread ran between two times, as far as they are selected. */
uint64_t tk_core_times_between(const struct tk_core_times *r, uint32_t thread, int64_t begin, int64_t end);

void tk_core_times_release(struct tk_core_times *r);

#endif
