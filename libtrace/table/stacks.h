/*
 * Stacks: calls, own time and allocated bytes by call path. The call trees of the model and the exporters
 * fill them, the sinks folded and pprof write them; names and source locations are kept here.
 */
#ifndef TK_TABLE_STACKS_H
#define TK_TABLE_STACKS_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"

#define TK_STACK_ROOT 0u

struct tk_stack_node {
    uint32_t parent; /* always a lower number */
    uint32_t name;   /* number in names; of the root: not used */
    uint64_t count;
    int64_t self;   /* nanoseconds */
    int64_t open;   /* nanoseconds of calls that never ended, which no other member includes */
    uint64_t bytes; /* allocated there */
};

struct tk_stack_name {
    const struct tk_str *text, *file; /* file NULL: not known */
    uint32_t line;
    bool thread; /* no function */
};

/* Zero-initialise to begin. */
struct tk_stacks {
    TK_VEC(struct tk_stack_node) nodes; /* [0]: the root; in order of first use */
    TK_VEC(struct tk_stack_name) names;
    struct tk_map index;   /* parent and name -> node */
    struct tk_map numbers; /* address in texts -> number of the name */
    struct tk_intern texts;
    bool open; /* a node has time of calls that never ended */
};

void tk_stacks_release(struct tk_stacks *s);

/* Number of a name; equal names have one, whose place is that of the first. TK_MAP_NONE without memory. */
uint32_t tk_stacks_name(struct tk_stacks *s, const struct tk_stack_name *name);

/* The node of a name below another node, made on first use; TK_MAP_NONE without memory. */
uint32_t tk_stacks_reach(struct tk_stacks *s, uint32_t parent, uint32_t name);

#endif
