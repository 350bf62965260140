/*
 * Stacks of samples, named, for profiles, in the words of table/stacks.h.
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_PROFILE_H
#define TK_MODEL_SAMPLES_SAMPLE_PROFILE_H

#include "query/builder.h"
#include "table/stacks.h"

struct tk_sample_profile_request {
    struct tk_stacks *stacks; /* borrowed: filled when all is read; begins empty */
    bool per_thread;          /* threads each below a name of its own */
};

/* The builder that fills stacks with samples: `count` of a node are the samples that found a thread in it.
 * Its table has no rows. Borrows the request. */
struct tk_builder tk_sample_profile_builder(struct tk_sample_profile_request *request);

#endif
