/*
 * Stack samples of a run being collected: by function, and by function inside of each timer. Part of
 * collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_SAMPLES_H
#define TK_COMPARE_COLLECT_COLLECT_SAMPLES_H

#include "compare/collect/collect_frames.h"
#include "model/samples/sample_stacks.h"
#include "query/slices.h"

#define TK_COLLECT_SAMPLES_FACTS TK_SAMPLE_STACK_FACTS

/* The samples of a thread with scopes: a part of the moments that were read beforehand. */
struct tk_sampled_lane {
    size_t first, n;
    size_t passed; /* of them: before the end of the last scope */
};

struct tk_collect_samples {
    const struct tk_query_context *view; /* borrowed; NULL: there are none */
    const struct tk_collect_frames *frames;
    struct tk_sample_stacks stacks;
    uint32_t *timers;                       /* owned; by moment: the innermost scope around it */
    TK_VEC(struct tk_sampled_lane *) lanes; /* owned; by lane; NULL: none of a thread */
};

/* Is it worth reading them? Not of calls that are selected by their timers. */
bool tk_collect_samples_has(const struct tk_query_context *view);

/* The struct must stay where it is. 0, or -1 if out of memory. */
int tk_collect_samples_init(struct tk_collect_samples *c, const struct tk_query_context *view,
                            const struct tk_collect_frames *frames);
int tk_collect_samples_feed(struct tk_collect_samples *c, const struct tk_batch *batch);
int tk_collect_samples_take(struct tk_collect_samples *c, const struct tk_slices *slices);

/* Makes the series: one without a name for all samples, one of each function and module, and one of each
 * timer and function inside of it. What has no function goes by its module. */
int tk_collect_samples_finish(struct tk_collect_samples *c);
void tk_collect_samples_release(struct tk_collect_samples *c);

#endif
