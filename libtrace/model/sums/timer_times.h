/*
 * Times of timers: when threads were inside calls of the timers that a query selects, as disjoint times by
 * thread. Tables about other things that happen on threads choose by it.
 */
#ifndef TK_MODEL_SUMS_TIMER_TIMES_H
#define TK_MODEL_SUMS_TIMER_TIMES_H

#include "base/hash.h"
#include "base/vec.h"
#include "query/context.h"
#include "query/slices.h"

/* A call, or several that follow each other without a gap. */
struct tk_timer_time {
    int64_t begin, end; /* cycles since the start; [begin, end) */
    uint32_t timer;     /* TK_LATE + slot as long as nobody knows which; 0: a selected one */
};

struct tk_timer_lane {
    uint32_t thread;
    TK_VEC(struct tk_timer_time) v;
};

/* Zero-initialise and set view to begin. */
struct tk_timer_times {
    const struct tk_query_context *view;
    TK_VEC(struct tk_timer_lane *) lanes; /* owned; by lane; NULL: none */
    TK_VEC(bool) requested;               /* by timer id */
    struct tk_map threads;                /* thread -> lane; when it is settled */
};

/* Does the query select timers? Without that nothing here needs to be fed. */
static inline bool tk_timer_times_needed(const struct tk_query_context *view)
{
    return view->query->select.n_timers != 0;
}

/* Before the slices of a batch are taken. 0, or -1 if out of memory. */
int tk_timer_times_feed(struct tk_timer_times *t, const struct tk_batch *batch);

/* Slices with begin and end; of different lanes by several workers at a time. 0, or -1 if out of memory. */
int tk_timer_times_take(struct tk_timer_times *t, const struct tk_slices *s);

/* Calls that never ended. 0, or -1 if out of memory. */
int tk_timer_times_lane(struct tk_timer_times *t, const struct tk_lane_end *end);

/* All is read. 0, or -1 if out of memory. */
int tk_timer_times_settle(struct tk_timer_times *t);

/* Was a thread inside one of the timers then? */
bool tk_timer_times_has(const struct tk_timer_times *t, uint32_t thread, int64_t time);

void tk_timer_times_release(struct tk_timer_times *t);

/*
 * Longest: the n longest calls of a lane, kept while slices come.
 */

struct tk_top_call {
    uint64_t total, excl; /* cycles, clipped */
    int64_t begin, end;
    int64_t displayed_from; /* the begin, clipped: calls are ordered as in a capture that is cut */
    uint64_t seq;           /* number of the slice in its lane */
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
