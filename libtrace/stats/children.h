/*
 * Children: what of the parts of open scopes is taken by scopes inside them, kept until they end, so that own
 * times by part are exact and scopes that never end take nothing from others.
 */
#ifndef TK_STATS_CHILDREN_H
#define TK_STATS_CHILDREN_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Time of direct children in a part, cycles. */
struct tk_child_time {
    uint32_t part;
    uint64_t total;
};

/* Of one open scope. */
struct tk_child_level {
    uint64_t owner; /* id of the scope */
    TK_VEC(struct tk_child_time) v;
};

/* Of one lane. Zero-initialise to begin. */
struct tk_children {
    TK_VEC(struct tk_child_level) levels; /* by depth of the owner */
    size_t top;                           /* levels from here on are empty */
};

/* Adds to a scope that is `depth` deep. 0, or -1 without memory. */
int tk_children_add(struct tk_children *c, size_t depth, uint64_t owner, uint32_t part, uint64_t total);

/* The next time of a scope that is `depth` deep and ends, taken out; *at begins with `depth`. Of all of them
 * has to be asked. false: there is none left. */
bool tk_children_take(struct tk_children *c, size_t *at, uint64_t owner, struct tk_child_time *out);

void tk_children_release(struct tk_children *c);

#endif
