/*
 * Items that are produced in order, some of them before they are needed. Readers unpack blocks ahead with
 * it. One task of the pool at a time produces the next item while there is a free place; one consumer takes
 * them in order and returns the places. If the pool has one job, each item is produced on demand.
 *
 * Things may be made of what another one makes, as long as none is made of itself.
 */
#ifndef TK_PARALLEL_READAHEAD_H
#define TK_PARALLEL_READAHEAD_H

#include "io/scratch/pool.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes a thing, number 0 first. false: there are no more, nothing was made. May be called again after that.
 * worker as in tk_task_fn.
 */
typedef bool tk_readahead_fn(void *ctx, size_t number, unsigned worker);

struct tk_readahead {
    struct tk_pool *pool; /* borrowed */
    tk_readahead_fn *make;
    void *ctx;
    size_t places; /* things that there are at one time, at most: number n has the place n modulo that */

    /* guarded by the pool */
    size_t made, used;
    bool busy;                     /* the task is queued or runs */
    bool over, closing, succeeded; /* nothing more comes; nothing more is wanted; the last one was made */
    struct tk_task task;
};

/*
 * Nothing is made before the first call of begin or take. Then a->task.first may be set for what much else
 * waits for, and a->task.home (pool.h).
 */
void tk_readahead_open(struct tk_readahead *a, struct tk_pool *pool, tk_readahead_fn *make, void *ctx,
                       size_t places);

/* Has things made, where there are more jobs than one. */
void tk_readahead_begin(struct tk_readahead *a);

/* Waits for the oldest thing that was not given back. false: there is none and will be none. */
bool tk_readahead_take(struct tk_readahead *a);

/* The oldest thing is not needed any more. */
void tk_readahead_give_back(struct tk_readahead *a);

/* Nothing is made when this returns. Zeroed ones may be closed, and any twice. */
void tk_readahead_close(struct tk_readahead *a);

#endif
