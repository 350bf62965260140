/*
 * Things that are used in the order that they were made, some of them later: the other side of readahead.h.
 * Exports write with it. One maker gives them away and goes on; one task of the pool at a time uses the next
 * one while there is any. If the pool has one job, each is used at once.
 */
#ifndef TK_PARALLEL_WRITEBEHIND_H
#define TK_PARALLEL_WRITEBEHIND_H

#include "io/scratch/pool.h"

#include <stdbool.h>
#include <stddef.h>

/* Uses a thing, number 0 first; worker as in tk_task_fn. A negative status: no other one is used. */
typedef int tk_writebehind_fn(void *ctx, size_t number, unsigned worker);

/* Zero-initialised it has nothing to wait for. */
struct tk_writebehind {
    struct tk_pool *pool; /* borrowed */
    tk_writebehind_fn *use;
    void *ctx;
    size_t
        places; /* things that there are at one time, with that in the making: number n has n modulo that */

    /* guarded by the pool */
    size_t made, used;
    bool busy;        /* the task is queued or runs */
    int status, last; /* the first failure; what the last one said */
    struct tk_task task;
};

void tk_writebehind_open(struct tk_writebehind *w, struct tk_pool *pool, tk_writebehind_fn *use, void *ctx,
                         size_t places);

/* Thing number w->made is there. Waits until the place of the next one is free. 0, or the failure. */
int tk_writebehind_give(struct tk_writebehind *w);

/* Waits until all that was given is used, or nothing more is. 0, or the failure. */
int tk_writebehind_drain(struct tk_writebehind *w);

#endif
