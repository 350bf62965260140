/*
 * Times of children by depth of their parent. See child_times.h.
 */
#include "model/sums/child_times.h"

#include <string.h>

/* Parts that scopes lie in at one time, such as frames of several types: so many of the last ones are looked
 * at. */
#define NEAR 4u

int tk_child_times_add_any(struct tk_child_times *c, size_t depth, uint64_t owner, uint32_t part,
                           uint64_t total)
{
    if (depth >= c->levels.n) {
        if (tk_vec_reach(&c->levels, depth + 1))
            return -1;
    }
    struct tk_child_level *level = &c->levels.v[depth];
    if (level->owner != owner)
        level->v.n = 0; /* of a scope that never ended */
    level->owner = owner;
    c->top = c->top > depth ? c->top : depth + 1;
    for (size_t i = level->v.n; i-- > 0 && i + NEAR >= level->v.n;) {
        if (level->v.v[i].part != part)
            continue;
        level->v.v[i].total += total;
        return 0;
    }
    struct tk_child_time fresh = {part, total};
    return tk_vec_push(&level->v, fresh);
}

/* A scope has ended and nothing of it is left. Those above it are one less deep from now on. */
static void close_level(struct tk_child_times *c, size_t depth)
{
    while (c->top && !c->levels.v[c->top - 1].v.n)
        c->top--;
    if (depth + 1 >= c->top)
        return;
    struct tk_child_level *levels = c->levels.v, ended = levels[depth];
    ended.v.n = 0;
    memmove(&levels[depth], &levels[depth + 1], (c->top - depth - 1) * sizeof *levels);
    levels[--c->top] = ended;
}

bool tk_child_times_take_any(struct tk_child_times *c, size_t depth, uint64_t owner,
                             struct tk_child_time *out)
{
    struct tk_child_level *level = &c->levels.v[depth];
    if (level->owner == owner && level->v.n) {
        *out = level->v.v[--level->v.n];
        return true;
    }
    close_level(c, depth);
    return false;
}

void tk_child_times_release(struct tk_child_times *c)
{
    for (size_t i = 0; i < c->levels.n; i++)
        tk_vec_release(&c->levels.v[i].v);
    tk_vec_release(&c->levels);
}
