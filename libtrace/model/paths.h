/*
 * Paths: a tree whose nodes are timers inside timers, so that every stack that ever was has a number. The
 * scope model keeps one a lane and tells each slice's node; statistics merge them.
 *
 * Node 0 is the root and stands for no timer. When there are as many nodes as allowed, whatever would be a
 * new one is the node TK_PATH_LOST, and so is all that lies inside.
 */
#ifndef TK_MODEL_PATHS_H
#define TK_MODEL_PATHS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TK_PATH_ROOT 0u
#define TK_PATH_LOST 1u
#define TK_PATH_NONE UINT32_MAX /* no node */

struct tk_path_node {
    uint32_t parent, timer;
};

struct tk_path_slot {
    uint32_t parent, timer, node; /* node 0: empty */
};

struct tk_paths {
    TK_VEC(struct tk_path_node) nodes; /* parents come before their children */
    struct tk_path_slot *slots;        /* owned */
    uint32_t mask;
    unsigned shift;
    size_t limit; /* nodes */
};

/* Begins with the two nodes there always are; limit bounds all nodes. 0, or -1 without memory. */
int tk_paths_init(struct tk_paths *p, uint64_t limit);

void tk_paths_release(struct tk_paths *p);

/* The node of a timer inside another node, made on first use; TK_PATH_NONE when memory is out. */
uint32_t tk_paths_reach(struct tk_paths *p, uint32_t parent, uint32_t timer);

/* The same without making one: TK_PATH_NONE where it would be new. */
static inline uint32_t tk_paths_find(const struct tk_paths *p, uint32_t parent, uint32_t timer)
{
    uint64_t hash = ((uint64_t)parent << 32 | timer) * UINT64_C(0x9e3779b97f4a7c15);
    if (parent == TK_PATH_LOST)
        return TK_PATH_LOST;
    for (uint32_t i = (uint32_t)(hash >> p->shift);; i = (i + 1) & p->mask) {
        const struct tk_path_slot *s = &p->slots[i];
        if (s->parent == parent && s->timer == timer && s->node)
            return s->node;
        if (!s->node)
            return p->nodes.n >= p->limit ? TK_PATH_LOST : TK_PATH_NONE;
    }
}

/* How many nodes lie between a node and the root, itself included; 0 for the root. */
uint32_t tk_paths_depth(const struct tk_paths *p, uint32_t node);

#endif
