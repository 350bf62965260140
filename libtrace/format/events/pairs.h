/*
 * Pairs: begins and ends of a thread in order of time become scopes (import 1.2, step 1).
 */
#ifndef TK_FORMAT_EVENTS_ORDER_PAIRS_H
#define TK_FORMAT_EVENTS_ORDER_PAIRS_H

#include "format/events/track.h"

#define TK_EV_NONE UINT32_MAX           /* `what` of an end without a name */
#define TK_EV_OPEN INT64_MAX            /* value of a scope that never ends */
#define TK_EV_LOST UINT32_C(0x80000000) /* in `what` of a scope whose end is lost; its value is its begin */

/* An open scope. */
struct tk_ev_open {
    int64_t begin;
    size_t slot; /* the caller's */
    uint32_t timer, name, order;
    bool ended; /* at the time that is now; it waits for what else happens then */
};

/* Zero-initialise all but the first members. */
struct tk_ev_pairs {
    int (*put)(void *ctx, const struct tk_ev_item *scope); /* takes a scope; 0, or negative to end */
    void *ctx;
    const uint32_t *names; /* borrowed: the name of each timer; TK_EV_NONE: it has none */
    uint64_t most;         /* scopes open at one time */
    TK_VEC(struct tk_ev_open) stack;
    size_t slot;           /* of the scope that `put` takes */
    TK_VEC(uint32_t) open; /* by name: how many are open */
    uint32_t nameless;     /* open ones without a name */
    size_t first_ended;    /* lowest one on the stack that has ended; SIZE_MAX: none */
    int64_t now;
    uint64_t ends_without_begin, too_deep;
    uint64_t ends_of_nameless; /* ends with a name, of scopes without one */
    uint32_t first_unmatched;  /* since the beginning: the order of an end without a begin + 1; 0: none */
};

/* What follows is of another thread. */
void tk_ev_pairs_begin(struct tk_ev_pairs *p);

/* The next begin or end, in order of time. 0, -1 without memory, or what `put` said; 1: a scope was opened,
 * the last of the stack, whose slot may be set. */
int tk_ev_pairs_take(struct tk_ev_pairs *p, const struct tk_ev_item *item);

/* All have come: what is open stays so. The stack is empty afterwards. As above. */
int tk_ev_pairs_finish(struct tk_ev_pairs *p);

void tk_ev_pairs_release(struct tk_ev_pairs *p);

#endif
