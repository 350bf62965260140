/*
 * Paths: own time by path of calls, from slices. A path is a timer below the timers that were open when it
 * began; what has the same timers below each other is one path.
 *
 * Slices come in the order of their ends, children before their parents, so a batch is walked backwards.
 * What a batch leaves without a parent waits, by depth, until the parent ends.
 */
#ifndef TK_STATS_CALL_PATHS_H
#define TK_STATS_CALL_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/slices.h"

#define TK_CALL_PATH_ROOT   0u   /* the node above all */
#define TK_CALL_PATH_DEEP   128u /* what is called deeper counts for the path of this depth */
#define TK_CALL_PATH_SUMS   8u   /* parts that own time is split into */
#define TK_CALL_PATH_NO_SUM UINT8_MAX
#define TK_CALL_PATH_FIRST  (2 * TK_CALL_PATH_DEEP + 3) /* the first node of a path; those before it help */

/* One path. Parents have smaller numbers than their children. */
struct tk_call_path {
    uint32_t parent, timer;
    uint32_t child, next, last; /* first child, next sibling, the child met last; 0: none */
    uint64_t count;
    int64_t own;                     /* cycles without what was called */
    int64_t sums[TK_CALL_PATH_SUMS]; /* parts of it */
};

struct tk_call_wait {
    uint64_t parent; /* id of the scope that has not ended; 0: nobody waits */
    uint32_t node;
};

/* Zero-initialise, then tk_call_paths_init. */
struct tk_call_paths {
    TK_VEC(struct tk_call_path) nodes; /* the root first */
    struct tk_call_path_slot *slots;   /* owned; an index by parent and timer: mask + 1 of them */
    size_t mask;
    struct tk_call_wait waits[TK_CALL_PATH_DEEP + 1]; /* by depth */
    struct tk_call_wait
        fresh[TK_CALL_PATH_DEEP + 1]; /* of the batch under way, where another waits already */
    size_t limit;                     /* nodes */
    uint64_t left_out;                /* calls that there was no node for */
};

/* 0, or -1 when memory is out. */
int tk_call_paths_init(struct tk_call_paths *p, size_t limit);

/* Adds slices of a lane, with TK_SLICE_PLACE; sums[i] is the part that the own time of slice i belongs to, or
 * TK_CALL_PATH_NO_SUM. 0, or -1 when memory is out. */
int tk_call_paths_take(struct tk_call_paths *p, const struct tk_slices *s, const uint8_t *sums);

/* All is read: what still waits goes below the scopes that are open, outermost first, or to the root. 0, or
 * -1 when memory is out. */
int tk_call_paths_finish(struct tk_call_paths *p, const struct tk_open_scope *open, size_t n);

void tk_call_paths_release(struct tk_call_paths *p);

#endif
