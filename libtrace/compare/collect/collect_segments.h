/*
 * The layout of a run being collected: the block of each frame, and the segments of each block. Part of
 * collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_SEGMENTS_H
#define TK_COMPARE_COLLECT_COLLECT_SEGMENTS_H

#include "compare/baseline/baseline.h"
#include "model/marks/region_list.h"

/* Frames of the warm-up: as many, but no more than an eighth of the run. */
#define TK_WARMUP_FRAMES 64u

/* Regions of so many names have a segment, those that take the most frames; the rest is counted. */
#define TK_SEGMENT_REGIONS 24u

/*
 * Lays out the blocks of the frames there are, and makes the segments: the warm-up, and a segment for all
 * regions of a name that have a frame's begin in them. `begins`: when each frame of the run began, in cycles.
 * regions may be NULL. 0, or -1 if out of memory.
 */
int tk_collect_segments(struct tk_base_run *run, const int64_t *begins, const struct tk_region_list *regions);

#endif
