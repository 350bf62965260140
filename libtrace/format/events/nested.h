/*
 * Whether begins and ends of a thread nest as they come: each end is that of the innermost scope. Where they
 * do, and are in order of time, they need be neither paired nor sorted (tk_ev_lanes_take_nested).
 */
#ifndef TK_FORMAT_EVENTS_ORDER_NESTED_H
#define TK_FORMAT_EVENTS_ORDER_NESTED_H

#include "base/vec.h"
#include "format/events/pairs.h"

/* Of those that count as nested: scopes that are open, and begins and ends of one time, which are put in
 * order together. */
enum { TK_EV_NESTED_DEPTH = 1024, TK_EV_NESTED_TOGETHER = 4096 };

/* Zero-initialise. */
struct tk_ev_nested {
    TK_VEC(uint32_t) names; /* of open scopes, innermost last; TK_EV_NONE: it has none */
    int64_t time;           /* of the last one */
    uint32_t together;      /* that were of this time before it */
    bool fails;             /* they do not nest; nothing else is looked at any more */
};

static inline void tk_ev_nested_fail(struct tk_ev_nested *n)
{
    tk_vec_release(&n->names);
    n->fails = true;
}

static inline void tk_ev_nested_see(struct tk_ev_nested *n, int64_t time)
{
    n->together = n->time == time ? n->together + 1 : 0;
    n->time = time;
    if (n->together >= TK_EV_NESTED_TOGETHER)
        tk_ev_nested_fail(n);
}

/* A scope begins. 0, or -1 if out of memory. */
static inline int tk_ev_nested_begin(struct tk_ev_nested *n, int64_t time, uint32_t name)
{
    if (n->fails)
        return 0;
    tk_ev_nested_see(n, time);
    if (n->names.n >= TK_EV_NESTED_DEPTH)
        tk_ev_nested_fail(n);
    return !n->fails && tk_vec_push(&n->names, name) ? -1 : 0;
}

/* A scope ends; name: TK_EV_NONE ends any. */
static inline void tk_ev_nested_end(struct tk_ev_nested *n, int64_t time, uint32_t name)
{
    if (n->fails)
        return;
    tk_ev_nested_see(n, time);
    const uint32_t begun = n->names.n ? n->names.v[n->names.n - 1] : TK_EV_NONE;
    if (!n->names.n || (name != begun && name != TK_EV_NONE && begun != TK_EV_NONE))
        tk_ev_nested_fail(n);
    else
        n->names.n--;
}

#endif
