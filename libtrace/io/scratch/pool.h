/*
 * A pool of a few worker threads that run tasks. A thread that waits helps, so tasks may start and wait for
 * tasks. With one job there are no threads and everything runs in the caller.
 *
 * Which worker runs a piece is not determined: results must not depend on it.
 */
#ifndef TK_IO_SCRATCH_POOL_H
#define TK_IO_SCRATCH_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct tk_pool;

/*
 * worker is 0 .. jobs-1 and never the same for two pieces that run at one time on two threads; a thread that
 * is no worker of the pool is 0 (one such thread at a time). A piece that waits may find that other pieces of
 * its own worker ran inside its wait: what belongs to a worker must not be held across a wait.
 */
typedef void tk_task_fn(void *ctx, size_t index, unsigned worker);

/* One piece of work, owned by the caller and untouched until waited for. */
struct tk_task {
    tk_task_fn *fn;
    void *ctx;
    size_t count;      /* indexes 0 .. count-1, in any order and at the same time */
    size_t next, done; /* guarded by the pool */
    bool first;        /* goes before those that wait */
    unsigned home;     /* 1 + the worker who has its data at hand, and takes it where possible; 0: any */
    /* Of a task of one piece, else NULL: requested under the lock when it ran, whether it runs once more. */
    bool (*again)(void *ctx);
    struct tk_task *link;
};

/* jobs threads work in all, the caller included; NULL when memory or threads are out. jobs 0 is taken as 1.
 */
struct tk_pool *tk_pool_open(unsigned jobs);

unsigned tk_pool_jobs(const struct tk_pool *pool);

/* Queues fn(ctx, 0..count-1). */
void tk_pool_start(struct tk_pool *pool, struct tk_task *task, tk_task_fn *fn, void *ctx, size_t count);

/* Queues fn(ctx, 0), which is at home here: the worker who calls goes on with what it has made, when its
 * piece is done. */
void tk_pool_start_here(struct tk_pool *pool, struct tk_task *task, tk_task_fn *fn, void *ctx);

/*
 * Returns when all of the task has run; runs pieces of it (first) and of other tasks meanwhile. A piece waits
 * only for tasks that it has started itself: waiting for an older one could be waiting for oneself. (What is
 * made ahead may wait for what it is made of.)
 */
void tk_pool_wait(struct tk_pool *pool, struct tk_task *task);

/* start and wait. */
void tk_pool_run(struct tk_pool *pool, tk_task_fn *fn, void *ctx, size_t count);

/* All tasks must have been waited for. NULL is allowed. */
void tk_pool_close(struct tk_pool *pool);

/*
 * Things that are made by all workers at one time and used in order: writebehind.h where the making is worth
 * sharing. Exports format with it. One giver fills a place and gives it away; any worker makes it, and then
 * one worker at a time uses what has its turn.
 */

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
