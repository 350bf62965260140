/*
 * The stack of a lane: the scopes that are open, in columns, so that several that begin in a row are put
 * there at once.
 */
#ifndef TK_MODEL_SCOPES_SCOPE_STACK_H
#define TK_MODEL_SCOPES_SCOPE_STACK_H

#include <stddef.h>
#include <stdint.h>

/* Elements above the capacity that can be written, as scopes are put there before it is known how many. */
#define TK_SCOPE_STACK_ABOVE 8u

/*
 * Scopes are in elements 1 to the depth. Element 0 is the floor, whose children are the roots. Zeroed it has
 * no room.
 */
struct tk_scope_stack {
    int64_t *begin;   /* cycles since the start; owned, with the other columns behind it */
    uint64_t *before; /* what the closed scopes of the lane had for themselves when it began */
    uint64_t *id;
    uint32_t *op;
    uint8_t *outer; /* no scope of the same timer was open when it began */
};

/* An open scope: a value of each column. */
struct tk_stacked {
    int64_t begin;
    uint64_t before;
    uint64_t id;
    uint32_t op;
    uint8_t outer;
};

/* Makes room for `cap` scopes, at least as many as `depth`, which are there. The first time it makes the
 * floor. 0, or -1 without memory. */
int tk_scope_stack_resize(struct tk_scope_stack *stack, size_t depth, size_t cap);

void tk_scope_stack_release(struct tk_scope_stack *stack);

static inline struct tk_stacked tk_scope_stack_at(const struct tk_scope_stack *s, size_t k)
{
    return (struct tk_stacked){s->begin[k], s->before[k], s->id[k], s->op[k], s->outer[k]};
}

static inline void tk_scope_stack_set(struct tk_scope_stack *s, size_t k, const struct tk_stacked *scope)
{
    s->begin[k] = scope->begin;
    s->before[k] = scope->before;
    s->id[k] = scope->id;
    s->op[k] = scope->op;
    s->outer[k] = scope->outer;
}

#endif
