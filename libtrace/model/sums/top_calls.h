/*
 * Longest: the n longest calls of a lane, kept while slices come.
 */
#ifndef TK_MODEL_SUMS_TOP_CALLS_H
#define TK_MODEL_SUMS_TOP_CALLS_H

#include "base/vec.h"
#include "query/slices.h"

struct tk_top_call {
    uint64_t total, excl; /* cycles, clipped */
    int64_t begin, end;
    int64_t shown_from; /* the begin, clipped: calls are ordered as in a capture that is cut */
    uint64_t seq;       /* number of the slice in its lane */
    uint32_t timer, node, thread, lane;
    const struct tk_str *text; /* NULL: none */
};

/* Zero-initialise to begin. */
struct tk_top_calls {
    TK_VEC(struct tk_top_call) v; /* a heap, the least one first */
};

/* Is a before b? Longest first, then what began first, by thread and lane, what is around before what is
 * inside. */
int tk_top_call_compare(const void *a, const void *b);

/* Takes a call into the n longest ones. 0, or -1 without memory. */
int tk_top_calls_put(struct tk_top_calls *l, size_t n, const struct tk_top_call *call);

void tk_top_calls_release(struct tk_top_calls *l);

#endif
