/*
 * Levels: while a kernel works off a block, which of its ops, or which scope of before, is open at each level
 * above and below the depth before the block. What is left open is moved down afterwards.
 */
#ifndef TK_MODEL_SCOPES_SCOPE_LEVELS_H
#define TK_MODEL_SCOPES_SCOPE_LEVELS_H

#include "base/bits.h"
#include "model/scopes/scope_lane.h"

#include <string.h>

#define TK_SCOPE_ROW 8u /* ops whose places are written at once */

/*
 * What is open at each level. A place is that of an element of the stack's columns, the first op of the block
 * at 0, so that scopes of before have places below 0. The level of the top before the block is
 * TK_SCOPE_BLOCK.
 */
struct tk_scope_levels {
    int8_t op[2 * TK_SCOPE_BLOCK + 1 + TK_SCOPE_ROW];     /* place of its begin and op */
    int8_t before[2 * TK_SCOPE_BLOCK + 1 + TK_SCOPE_ROW]; /* and of what `before` says of it */
    size_t top;
    size_t greatest;
    int8_t closed[TK_SCOPE_BLOCK]; /* places of the scopes that ended, in order */
    size_t n_closed;
};

#define TK_SCOPE_TEN(n)        n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9
#define TK_SCOPE_PLACES_BEFORE (TK_SCOPE_BLOCK + 1u)

/* Places in order, from those of scopes before the block to those behind its last op. */
static const int8_t tk_scope_places[] = {
    -65,
    -64,
    -63,
    -62,
    -61,
    TK_SCOPE_TEN(-60),
    TK_SCOPE_TEN(-50),
    TK_SCOPE_TEN(-40),
    TK_SCOPE_TEN(-30),
    TK_SCOPE_TEN(-20),
    TK_SCOPE_TEN(-10),
    TK_SCOPE_TEN(0),
    TK_SCOPE_TEN(10),
    TK_SCOPE_TEN(20),
    TK_SCOPE_TEN(30),
    TK_SCOPE_TEN(40),
    TK_SCOPE_TEN(50),
    TK_SCOPE_TEN(60),
    70,
    71,
};

TK_ALWAYS_INLINE void tk_scope_levels_init(struct tk_scope_levels *l)
{
    memcpy(l->op, tk_scope_places, TK_SCOPE_PLACES_BEFORE);
    memcpy(l->before, tk_scope_places, TK_SCOPE_PLACES_BEFORE);
    l->top = l->greatest = TK_SCOPE_BLOCK;
}

/* Opens the n scopes that the ops from `from` on begin, after so many of the block have ended. Returns the
 * top. */
TK_ALWAYS_INLINE size_t tk_scope_open_row(struct tk_scope_levels *l, size_t top, size_t from, size_t n,
                                          size_t ended)
{
    const uint64_t same = ended * UINT64_C(0x0101010101010101);
    memcpy(l->op + top + 1, tk_scope_places + TK_SCOPE_PLACES_BEFORE + from, TK_SCOPE_ROW);
    memcpy(l->before + top + 1, &same, TK_SCOPE_ROW);
    for (size_t i = TK_SCOPE_ROW; tk_rarely(i < n); i += TK_SCOPE_ROW) {
        memcpy(l->op + top + 1 + i, tk_scope_places + TK_SCOPE_PLACES_BEFORE + from + i, TK_SCOPE_ROW);
        memcpy(l->before + top + 1 + i, &same, TK_SCOPE_ROW);
    }
    return top + n;
}

/* Moves the scopes of the block that are open to where their levels are, above `depth`, that of before the
 * block, or below it. */
TK_ALWAYS_INLINE void tk_scope_move_down(struct tk_scope_stack *s, const struct tk_scope_levels *l,
                                         size_t depth, unsigned want)
{
    uint64_t before[TK_SCOPE_BLOCK];
    size_t first = l->top + 1;
    while (l->op[first - 1] >= 0)
        first--;
    const size_t n = l->top + 1 - first, to = depth + first - TK_SCOPE_BLOCK;
    for (size_t i = 0; i < n; i++)
        before[i] = s->before[depth + 1 + (size_t)l->before[first + i]];
    for (size_t i = 0; i < n; i++) {
        const size_t from = depth + 1 + (size_t)l->op[first + i];
        s->begin[to + i] = s->begin[from];
        s->op[to + i] = s->op[from];
        s->before[to + i] = before[i];
        if (want & TK_SLICE_OUTER)
            s->outer[to + i] = s->outer[from];
        if (want & TK_SLICE_PLACE)
            s->id[to + i] = s->id[from];
    }
}

#endif
