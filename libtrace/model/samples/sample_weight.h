/*
 * What a sample stands for: the interval at which they were taken, where the capture states it. Tables of
 * samples show times with it.
 */
#ifndef TK_MODEL_SAMPLES_SAMPLE_WEIGHT_H
#define TK_MODEL_SAMPLES_SAMPLE_WEIGHT_H

#include "query/context_cells.h"

/* Nanoseconds between samples of a thread that runs; 0: not known. When the session is known. */
int64_t tk_sample_period(const struct tk_dict *dict);

/* The time that samples stand for; no value where that is not known. */
struct tk_cell tk_sample_time(const struct tk_query_context *view, int64_t period, uint64_t samples);

#endif
