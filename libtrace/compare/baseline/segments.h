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
 * regions of a run that had no space for others, the baseline notes how many these are. TK_OK; TK_EMATCH (a
 * run does not hold a region, or nothing is left); TK_ENOMEM.
 */
int tk_baseline_cut(struct tk_baseline *b, const struct tk_segment_choice *choice, struct tk_err *err);

/* A copy of all runs, as they are. Owned: release as any baseline in memory. */
int tk_baseline_copy(struct tk_baseline *out, const struct tk_baseline *b, struct tk_err *err);

/* Frees the runs. */
void tk_baseline_clear(struct tk_baseline *b);

/*
 * What single frames of a run took: of the series that budgets are about (struct tk_watched of baseline.h),
 * so that the worst frame can be named. Filled by compare/collect, requested by compare/budget; not in files.
 */

/* Series of a kind, a name and a group in each frame. */
struct tk_watched_frames {
    uint8_t kind;               /* enum tk_series_kind */
    const struct tk_str *name;  /* of the names of the run; NULL: all timers of the group that do not wait */
    const struct tk_str *group; /* likewise */
    double *v;                  /* owned; by frame of the capture: own cycles, the greatest value, a number */
    size_t n;
};

/* Finds or makes times of n frames, each `first` (-INFINITY: nothing is there); they are the run's. NULL if
 * out of memory. Valid until the next is made. Name and group are of the names of the run. */
struct tk_watched_frames *tk_watched_frames_add(struct tk_base_run *run, uint8_t kind,
                                                const struct tk_str *name, const struct tk_str *group,
                                                size_t n, double first);

/* Gives those of no frames n, each `first`. 0, or -1 if out of memory. */
int tk_watched_frames_fill(struct tk_watched_frames *t, size_t n, double first);

/* The frame of the run, from 0, in which a series (name NULL: a group of threads) has the most; SIZE_MAX
 * where that is not known. */
size_t tk_watched_frames_worst(const struct tk_base_run *run, uint8_t kind, const struct tk_str *name,
                               const struct tk_str *group);

void tk_watched_frames_release(struct tk_base_run *run);

#endif
