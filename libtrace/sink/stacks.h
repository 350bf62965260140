/*
 * Stacks: scopes of a timeline added up by the path of names they are called by, for folded and pprof. All
 * threads together, or each under a root of its own. Paths beyond TK_STACK_NODES are added up as one,
 * "(more)".
 */
#ifndef TK_SINK_STACKS_H
#define TK_SINK_STACKS_H

#include "sink/viewer.h"

#define TK_STACK_ROOT 0u

struct tk_stack_node {
    uint32_t parent; /* always a lower number */
    uint32_t name;   /* of the timeline; of a thread's root: TK_STACK_THREAD | index of the track */
    uint64_t count;
    uint64_t self;  /* nanoseconds */
    uint64_t bytes; /* allocated there */
};

#define TK_STACK_THREAD UINT32_C(0x80000000)

/* Name of the node for all that lies deeper than the nodes there is room for. */
#define TK_STACK_MORE UINT32_MAX

#define TK_STACK_NODES (UINT32_C(1) << 20)

/* An open scope, or the bottom of a track. */
struct tk_stack_open {
    uint32_t node;
    int64_t begin;
    uint64_t children;
};

struct tk_stack_track {
    TK_VEC(struct tk_stack_open) open;
};

struct tk_stacks {
    TK_VEC(struct tk_stack_node) nodes;   /* [0]: the root of all */
    struct tk_map index;                  /* parent and name -> node */
    uint32_t more;                        /* node of TK_STACK_MORE; 0: none */
    struct tk_viewer *v;                  /* borrowed */
    TK_VEC(struct tk_stack_track) tracks; /* by index of the viewer's track */
    TK_VEC(struct tk_str) files;          /* owned; by name; p NULL: none */
    TK_VEC(uint32_t) lines;
};

/* Zero-initialise and set v. Takes begins and ends and ignores other items; failures stick in v->out.status.
 */
void tk_stacks_items(struct tk_stacks *s, const struct tk_item *items, size_t n);

void tk_stacks_release(struct tk_stacks *s);

/* The name that a node is shown by; a thread's is that of its track. */
struct tk_str tk_stacks_name(const struct tk_stacks *s, uint32_t node);

#endif
