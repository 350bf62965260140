/*
 * Call tree: what was spent on each stack of timers, merged over lanes; and the same turned round a timer.
 *
 *   lanes (call_paths.h, sums by node) --> tree of all threads --> callers or callees of timers --> rows
 *
 */
#ifndef TK_MODEL_TIMERS_CALL_TREE_H
#define TK_MODEL_TIMERS_CALL_TREE_H

#include "model/scopes/call_paths.h"
#include "query/context.h"
#include "query/slices.h"

/* Nodes that stand for no timer have these bits in its place, and a number below. */
#define TK_CALL_THREAD UINT32_C(0x10000000) /* a thread: the number of its lane */
#define TK_CALL_LOST   TK_PATH_BEYOND       /* stacks beyond the limit: 0 */

/* Cycles, clipped to the selection; modulo 2^64. */
struct tk_call_sums {
    uint64_t count;
    uint64_t total;  /* inclusive */
    uint64_t excl;   /* own */
    uint64_t framed; /* of total: inside game frames that have an end */

    /* Of calls that never ended, which are in no other sum: */
    uint64_t open;
    uint64_t open_time; /* as far as they are known to have been open */
    uint64_t open_excl; /* of it their own */
};

/* What nearly all nodes have; what calls without an end have stands alongside it, by node. */
struct tk_call_times {
    uint64_t count, total, excl, framed;
};

struct tk_call_open {
    uint64_t open, open_time, open_excl;
};

/* Sums by node; those of the root are not used. Zero-initialise to begin. */
struct tk_call_store {
    TK_VEC(struct tk_call_times) v;
    TK_VEC(struct tk_call_open) open;
    struct tk_map open_index; /* node -> place in open */
};

/* All sums of a node; of one that is not there zeros. */
struct tk_call_sums tk_call_store_get(const struct tk_call_store *s, uint32_t node);

/* Adds to a node that is there. 0, or -1 without memory. */
int tk_call_store_add(struct tk_call_store *s, uint32_t node, const struct tk_call_sums *sums);
void tk_call_store_release(struct tk_call_store *s);

/* Node i becomes to[i], for n nodes, where several may be one: at most i, and new numbers come one after the
 * other, as of tk_paths_fold; what has TK_PATH_INSIDE adds no total. 0, or -1 without memory, when all is as
 * it was. */
int tk_call_store_fold(struct tk_call_store *s, const uint32_t *to, size_t n);

struct tk_call_tree {
    struct tk_paths paths;
    struct tk_call_store sums; /* as many as there are nodes */
};

/* Begins empty. 0, or -1 without memory. */
int tk_call_tree_init(struct tk_call_tree *t);
void tk_call_tree_release(struct tk_call_tree *t);

/* The child of a node, made on first use, with `sums` added; TK_PATH_NONE without memory. */
uint32_t tk_call_tree_add(struct tk_call_tree *t, uint32_t parent, uint32_t timer,
                          const struct tk_call_sums *sums);

/*
 * Adds what a lane has below a node of the tree, by node of its paths. Late timers become those that they
 * are. 0, or -1 without memory.
 */
int tk_call_tree_add_lane(struct tk_call_tree *t, uint32_t below, const struct tk_paths *paths,
                          const struct tk_call_store *sums, struct tk_dict *dict);

/*
 * Turns a tree upside down from the timers that match: below each of them those that called it, and so on up
 * to the roots, with the part of its own sums that came that way. Calls inside a call of the same timer add
 * to count and excl, not to the times that the outer call has already. *out begins empty. 0, or -1.
 */
int tk_call_tree_callers(const struct tk_call_tree *t, const struct tk_patterns *timers, struct tk_dict *dict,
                         struct tk_call_tree *out);

/* What lies below the timers that match, their calls merged; those inside a call of a timer that
 * matches are part of its tree. Threads stay apart. 0, or -1. */
int tk_call_tree_callees(const struct tk_call_tree *t, const struct tk_patterns *timers, struct tk_dict *dict,
                         struct tk_call_tree *out);

/*
 * Lanes of call trees: slices add to sums by node of the paths of their lane, and in the end lanes are laid
 * on each other in the order of their numbers.
 */

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

/* Keeps the paths of a lane for the end, adds the scopes that never ended, and says health of scopes that
 * found no node. whole: slices were not clipped. 0, or -1 without memory. */
int tk_tree_lanes_end(struct tk_tree_lanes *l, const struct tk_query_context *view,
                      const struct tk_lane_end *end, bool whole);

/* Lays the lanes on each other in *all, which begins empty; by_lane: each below a node of its own. Frees
 * their sums. 0, or -1 without memory. */
int tk_tree_lanes_merge(struct tk_tree_lanes *l, bool by_lane, struct tk_dict *dict,
                        struct tk_call_tree *all);

#endif
