/*
 * A pool of a few worker threads that run tasks. A thread that waits helps, so tasks may start and wait for
 * tasks. With one job there are no threads and everything runs in the caller.
 *
 * Which worker runs a piece is not determined: results must not depend on it.
 */
#ifndef TK_PARALLEL_POOL_H
#define TK_PARALLEL_POOL_H

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
    /* Of a task of one piece, else NULL: asked under the lock when it ran, whether it runs once more. */
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
 * made ahead may wait for what it is made of, see readahead.h.)
 */
void tk_pool_wait(struct tk_pool *pool, struct tk_task *task);

/* start and wait. */
void tk_pool_run(struct tk_pool *pool, tk_task_fn *fn, void *ctx, size_t count);

/* All tasks must have been waited for. NULL is allowed. */
void tk_pool_close(struct tk_pool *pool);

#endif
