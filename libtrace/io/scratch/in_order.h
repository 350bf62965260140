/*
 * Things that are made by all workers at one time and used in order: writebehind.h where the making is worth
 * sharing. Exports format with it. One giver fills a place and gives it away; any worker makes it, and then
 * one worker at a time uses what has its turn.
 */
#ifndef TK_PARALLEL_IN_ORDER_H
#define TK_PARALLEL_IN_ORDER_H

#include "io/scratch/pool.h"

#include <stdbool.h>
#include <stddef.h>

enum { TK_IN_ORDER_MOST = 16 }; /* places */

struct tk_in_order;

/* Makes what was filled in a place; several at one time. worker as in tk_task_fn. */
typedef void tk_in_order_make_fn(void *ctx, size_t place, unsigned worker);

/* Uses what was made in a place, the oldest first. A negative status: no other one is used. */
typedef int tk_in_order_use_fn(void *ctx, size_t place, unsigned worker);

struct tk_in_order_place {
    struct tk_in_order *of;
    struct tk_task task; /* which makes it */
    bool made;           /* guarded by the pool */
};

/* Stays where it is while it is open. */
struct tk_in_order {
    struct tk_pool *pool; /* borrowed */
    tk_in_order_make_fn *make;
    tk_in_order_use_fn *use;
    void *ctx;
    size_t n_places;
    struct tk_in_order_place places[TK_IN_ORDER_MOST];

    /* guarded by the pool */
    size_t given, used;
    bool busy;           /* the task is queued or runs */
    int status, last;    /* the first failure; what the last one said */
    struct tk_task task; /* which uses them */
};

/* One place more than the pool has jobs, as far as there are so many. */
void tk_in_order_open(struct tk_in_order *o, struct tk_pool *pool, tk_in_order_make_fn *make,
                      tk_in_order_use_fn *use, void *ctx);

/* The place that is to be filled, which nobody else looks at. */
static inline size_t tk_in_order_filling(const struct tk_in_order *o)
{
    return o->given % o->n_places;
}

/* The place is filled. Waits until the next one is free. 0, or the failure of a use. */
int tk_in_order_give(struct tk_in_order *o);

/* Waits until all that was given is used, or nothing more is. 0, or the failure. */
int tk_in_order_drain(struct tk_in_order *o);

#endif
