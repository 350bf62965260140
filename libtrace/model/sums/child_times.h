/*
 * Children: what of the parts of open scopes is taken by scopes inside them, kept until they end, so that own
 * times by part are exact and scopes that never end take nothing from others.
 */
#ifndef TK_MODEL_SUMS_CHILD_TIMES_H
#define TK_MODEL_SUMS_CHILD_TIMES_H

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
struct tk_child_times {
    TK_VEC(struct tk_child_level) levels; /* by depth of the owner */
    size_t top;                           /* levels from here on are empty */
};

/* As tk_child_times_add, which knows the usual case. */
int tk_child_times_add_any(struct tk_child_times *c, size_t depth, uint64_t owner, uint32_t part,
                           uint64_t total);

/* Adds to a scope that is `depth` deep. 0, or -1 without memory. */
static inline int tk_child_times_add(struct tk_child_times *c, size_t depth, uint64_t owner, uint32_t part,
                                     uint64_t total)
{
    struct tk_child_level *level = depth < c->levels.n ? &c->levels.v[depth] : NULL;
    if (!level || level->owner != owner || !level->v.n || level->v.v[level->v.n - 1].part != part)
        return tk_child_times_add_any(c, depth, owner, part, total);
    level->v.v[level->v.n - 1].total += total;
    return 0;
}

/* As tk_child_times_take, where there is something at that depth or below. */
bool tk_child_times_take_any(struct tk_child_times *c, size_t depth, uint64_t owner,
                             struct tk_child_time *out);

/* The next time of a scope that is `depth` deep and ends, taken out. Every scope that ends has to be asked
 * for all of them, once: it may end before those inside it. false: there is none left. */
static inline bool tk_child_times_take(struct tk_child_times *c, size_t depth, uint64_t owner,
                                       struct tk_child_time *out)
{
    return depth < c->top && tk_child_times_take_any(c, depth, owner, out);
}

/* Takes the time of a scope that is `depth` deep and ends, where it has one, in a certain part, and nothing
 * is kept below it. false: nothing was taken, all of them have to be asked for. */
static inline bool tk_child_times_take_only(struct tk_child_times *c, size_t depth, uint64_t owner,
                                            uint32_t part, uint64_t *total)
{
    struct tk_child_level *level = depth + 1 == c->top ? &c->levels.v[depth] : NULL;
    if (!level || level->owner != owner || level->v.n != 1 || level->v.v[0].part != part)
        return false;
    *total = level->v.v[0].total;
    level->v.n = 0;
    c->top = depth;
    return true;
}

void tk_child_times_release(struct tk_child_times *c);

#endif
