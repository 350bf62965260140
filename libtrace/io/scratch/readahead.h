/*
 * Items that are produced in order, some of them before they are needed. Readers unpack blocks ahead with
 * it. One task of the pool at a time produces the next item while there is a free place; one consumer takes
 * them in order and returns the places. If the pool has one job, each item is produced on demand.
 *
 * Things may be made of what another one makes, as long as none is made of itself.
 */
#ifndef TK_IO_SCRATCH_READAHEAD_H
#define TK_IO_SCRATCH_READAHEAD_H

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

/*
 * A generator: a thread that produces items one by one for the thread that opened it, and continues only when
 * the previous item is consumed. It turns callbacks into a sequence that is pulled.
 *
 * Only one of the two threads runs at a time, so what they share needs no lock of its own.
 */

struct tk_generator;

/* Runs in the thread of the relay: gives what it has and returns. The value is for tk_generator_close. */
typedef int tk_generator_fn(struct tk_generator *relay, void *ctx);

/* Nothing runs before the first tk_generator_take. NULL when memory or threads are out. */
struct tk_generator *tk_generator_open(tk_generator_fn *fn, void *ctx);

/* Of fn: hands `thing` over and waits until the next one is wanted. false: nobody wants any more, fn returns.
 */
bool tk_generator_give(struct tk_generator *relay, const void *thing);

/* The next thing, which is there until the next call; NULL: fn has returned. */
const void *tk_generator_take(struct tk_generator *relay);

/* Ends and frees; what fn returned, 0 when it never ran or relay is NULL. */
int tk_generator_close(struct tk_generator *relay);

/*
 * Things that are used in the order that they were made, some of them later: the other side of readahead.h.
 * Exports write with it. One maker gives them away and goes on; one task of the pool at a time uses the next
 * one while there is any. If the pool has one job, each is used at once.
 */

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
