/*
 * When samples were taken, by thread: what the engine reads beforehand for tables that lay samples over
 * scopes. Stacks are not kept.
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_MOMENTS_H
#define TK_MODEL_SAMPLES_SAMPLE_MOMENTS_H

#include "model/threads/system_threads.h"

#define TK_SAMPLE_MOMENT_FACTS (TK_FACT_MASK(SAMPLE) | TK_SYSTEM_THREAD_FACTS)

struct tk_sample_moment {
    int64_t time;
    uint32_t thread; /* place in threads; when all is read, the thread of the capture, or TK_NO_THREAD */
};

struct tk_sample_moments {
    struct tk_health *health; /* borrowed */
    uint64_t limit;
    struct tk_system_threads threads;
    TK_VEC(struct tk_sample_moment) v; /* when all is read: by thread, then by time */
    uint64_t left_out;
};

/* The context is borrowed. */
void tk_sample_moments_init(struct tk_sample_moments *s, struct tk_context *ctx);

/* Takes the facts above; ignores others. 0, or -1 if out of memory. */
int tk_sample_moments_feed(struct tk_sample_moments *s, const struct tk_fact *fact);

/* All is read. 0, or -1 if out of memory. */
int tk_sample_moments_finish(struct tk_sample_moments *s, const struct tk_dict *dict);

/* The samples of a thread: the first, and how many. */
const struct tk_sample_moment *tk_sample_moments_of(const struct tk_sample_moments *s, uint32_t thread,
                                                    size_t *n);

void tk_sample_moments_release(struct tk_sample_moments *s);

#endif
