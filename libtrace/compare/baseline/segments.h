/*
 * Cuts runs of a baseline to some of their regions, or removes their warm-up. It runs after a baseline is
 * read and before it is compared.
 */
#ifndef TK_COMPARE_BASELINE_SEGMENTS_H
#define TK_COMPARE_BASELINE_SEGMENTS_H

#include "compare/baseline/baseline.h"

/* What is kept. */
struct tk_segment_choice {
    const char *const *regions; /* patterns, borrowed; without any: everything */
    size_t n_regions;
    bool no_warmup;
};

/*
 * Cuts all runs down. What is not known of what is left goes: the times of single calls, counters and memory
 * without a value in it, and where regions are chosen loading, which else stays that of the whole run. Of
 * memory the means of blocks are left, so that the greatest of these is the peak. Where a pattern chose
 * regions of a run that had no room for others, the baseline notes how many these are. TK_OK; TK_EMATCH (a
 * run does not hold a region, or nothing is left); TK_ENOMEM.
 */
int tk_baseline_cut(struct tk_baseline *b, const struct tk_segment_choice *choice, struct tk_err *err);

/* A copy of all runs, as they are. Owned: release as any baseline in memory. */
int tk_baseline_copy(struct tk_baseline *out, const struct tk_baseline *b, struct tk_err *err);

/* Frees the runs. */
void tk_baseline_clear(struct tk_baseline *b);

#endif
