/*
 * Longest calls: of each timer in a hitch its longest call there, to say how long of it the thread was on no
 * core.
 */
#ifndef TK_MODEL_HITCHES_LONGEST_CALLS_H
#define TK_MODEL_HITCHES_LONGEST_CALLS_H

#include "base/hash.h"
#include "base/vec.h"

#include <stdbool.h>

struct tk_longest_call {
    int64_t begin, end; /* cycles since the start, inside the frame */
};

/* Of one lane. Zero-initialise to begin. */
struct tk_longest_calls {
    struct tk_map index; /* mark and timer -> place */
    TK_VEC(struct tk_longest_call) v;
};

/* Offers a call of a timer in the frame of a mark. 0, or -1 without memory. */
int tk_longest_calls_put(struct tk_longest_calls *c, uint32_t mark, uint32_t timer, int64_t begin,
                         int64_t end);

/* The longest; NULL: there is none. */
const struct tk_longest_call *tk_longest_calls_find(const struct tk_longest_calls *c, uint32_t mark,
                                                    uint32_t timer);

void tk_longest_calls_release(struct tk_longest_calls *c);

#endif
