/*
 * Lanes of call trees: slices add to sums by node of the paths of their lane, and in the end lanes are laid
 * on each other in the order of their numbers.
 */
#ifndef TK_MODEL_TREES_CALL_TREE_LANES_H
#define TK_MODEL_TREES_CALL_TREE_LANES_H

#include "model/timers/call_tree.h"
#include "query/slices.h"

/* What a lane has so far. */
struct tk_tree_lane {
    struct tk_call_store sums;    /* by node */
    const struct tk_paths *paths; /* of the scope model; NULL until the end */
};

/* Zero-initialise to begin. */
struct tk_tree_lanes {
    bool queues;                     /* those of the GPU too */
    TK_VEC(struct tk_tree_lane *) v; /* owned, by number; NULL: had no run */
    TK_VEC(uint32_t) threads;        /* ids, by lane; of a queue: its id */
    TK_VEC(uint8_t) kinds;           /* enum tk_lane_kind, by lane */
};

void tk_tree_lanes_release(struct tk_tree_lanes *l);

/* Makes the lanes of a batch, as slices are taken by several workers. TK_OK or TK_ENOMEM. */
int tk_tree_lanes_feed(struct tk_tree_lanes *l, const struct tk_batch *batch, struct tk_err *err);

/* Adds slices to their lane, where there is one. 0, or -1 without memory. */
int tk_tree_lanes_take(struct tk_tree_lanes *l, const struct tk_slices *s);

/* The hooks of builders by these names, of a lane that slices were taken of or not. */
uint64_t tk_tree_lanes_uses(const struct tk_tree_lanes *l, uint32_t lane, uint32_t node);
int tk_tree_lanes_fold(struct tk_tree_lanes *l, uint32_t lane, const uint32_t *to, size_t n);

/* Keeps the paths of a lane for the end, adds the scopes that never ended, and tells health of scopes that
 * found no node. whole: slices were not clipped. 0, or -1 without memory. */
int tk_tree_lanes_end(struct tk_tree_lanes *l, const struct tk_query_context *view,
                      const struct tk_lane_end *end, bool whole);

/* Lays the lanes on each other in *all, which begins empty; by_lane: each below a node of its own. Frees
 * their sums. 0, or -1 without memory. */
int tk_tree_lanes_merge(struct tk_tree_lanes *l, bool by_lane, struct tk_dict *dict,
                        struct tk_call_tree *all);

#endif
