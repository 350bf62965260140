/*
 * Samples as they are, for timelines and profiles, in the words of table/sampled.h.
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_RECORD_H
#define TK_MODEL_SAMPLES_SAMPLE_RECORD_H

#include "query/builder.h"
#include "table/sampled.h"

struct tk_sample_record_request {
    struct tk_sampled *sampled; /* borrowed: filled when all is read; begins empty */
    bool moments;               /* single samples are wanted, not only how many have each stack */
};

/* The builder that fills it with the samples that are selected. Its table has no rows. Borrows the request.
 */
struct tk_builder tk_sample_record_builder(struct tk_sample_record_request *request);

#endif
