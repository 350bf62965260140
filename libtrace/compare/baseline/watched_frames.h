/*
 * What single frames of a run took: of the series that budgets are about (struct tk_watched of baseline.h),
 * so that the worst frame can be named. Filled by compare/collect, asked by compare/budget; not in files.
 */
#ifndef TK_COMPARE_BASELINE_WATCHED_FRAMES_H
#define TK_COMPARE_BASELINE_WATCHED_FRAMES_H

#include "compare/baseline/baseline.h"

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
