/*
 * Samples as they are, for timelines and profiles, in the words of table/timeline.h.
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_RECORD_H
#define TK_MODEL_SAMPLES_SAMPLE_RECORD_H

#include "model/threads/switch_list.h"
#include "query/builder.h"
#include "query/context_cells.h"
#include "table/cell.h"
#include "table/timeline.h"

struct tk_sample_record_request {
    struct tk_sampled *sampled; /* borrowed: filled when all is read; begins empty */
    bool moments;               /* single samples are wanted, not only how many have each stack */
};

/* The builder that fills it with the samples that are selected. Its table has no rows. Borrows the request.
 */
struct tk_builder tk_sample_record_builder(struct tk_sample_record_request *request);

/*
 * When samples were taken, by thread: what the engine reads beforehand for tables that lay samples over
 * scopes. Stacks are not kept.
 */

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

/*
 * Stacks of samples, named, for profiles, in the words of table/cell.h.
 */

struct tk_sample_profile_request {
    struct tk_stacks *stacks; /* borrowed: filled when all is read; begins empty */
    bool per_thread;          /* threads each below a name of its own */
};

/* The builder that fills stacks with samples: `count` of a node are the samples that found a thread in it.
 * Its table has no rows. Borrows the request. */
struct tk_builder tk_sample_profile_builder(struct tk_sample_profile_request *request);

/*
 * What a sample stands for: the interval at which they were taken, where the capture states it. Tables of
 * samples show times with it.
 */

/* Nanoseconds between samples of a thread that runs; 0: not known. When the session is known. */
int64_t tk_sample_period(const struct tk_dict *dict);

/* The time that samples stand for; no value where that is not known. */
struct tk_cell tk_sample_time(const struct tk_query_context *view, int64_t period, uint64_t samples);

#endif
