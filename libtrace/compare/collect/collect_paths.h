/*
 * Call paths of a run being collected: own time by node for each lane, then merged over the lanes of a class
 * of threads. Paths that take too little time are dropped. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_PATHS_H
#define TK_COMPARE_COLLECT_COLLECT_PATHS_H

#include "base/hash.h"
#include "compare/baseline/baseline.h"
#include "model/scopes/call_paths.h"
#include "query/slices.h"

/* A path is kept from this share of the time of all frames on, and where one below it is. */
#define TK_PATH_SHARE 0.001

/* What a lane spent on a stack. */
struct tk_lane_path {
    uint64_t count;
    int64_t own;                      /* cycles without what was called */
    int64_t parts[TK_CALL_PATH_SUMS]; /* of it, in each part of the run */
};

/* Zero-initialise to begin. */
struct tk_lane_paths {
    TK_VEC(struct tk_lane_path) v; /* by node; may be fewer than there are nodes */
    const struct tk_paths *paths;  /* of the scope model; NULL until there was a slice */
};

/* Adds slices of a lane, with TK_SLICE_PATH; parts[i] is the part that slice i belongs to, or
 * TK_CALL_PATH_NO_SUM. 0, or -1 if out of memory. */
int tk_lane_paths_take(struct tk_lane_paths *p, const struct tk_slices *s, const uint8_t *parts);

void tk_lane_paths_release(struct tk_lane_paths *p);

struct tk_collect_paths {
    struct tk_base_run *run; /* borrowed */
    TK_VEC(struct tk_path) paths;
    struct tk_map index; /* parent and timer -> index in paths */
    TK_VEC(uint32_t) places;
    size_t limit;
    uint64_t left_out; /* calls */
};

void tk_collect_paths_init(struct tk_collect_paths *p, struct tk_base_run *run, size_t limit);

/* Adds the paths of a lane. timer_of: the series of a timer, NULL for none: what is below it then counts for
 * what is above. 0, or -1 if out of memory. */
int tk_collect_paths_add(struct tk_collect_paths *p, const struct tk_lane_paths *lane,
                         const struct tk_series *(*timer_of)(void *ctx, uint32_t timer), void *ctx);

/* Gives the run its paths, in an order that follows from their names. 0, or -1 if out of memory. */
int tk_collect_paths_finish(struct tk_collect_paths *p);

void tk_collect_paths_release(struct tk_collect_paths *p);

#endif
