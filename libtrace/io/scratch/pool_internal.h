/*
 * The part of the pool that readahead.c uses under the pool's lock. All but tk_pool_lock are called with the
 * lock held.
 */
#ifndef TK_PARALLEL_POOL_INTERNAL_H
#define TK_PARALLEL_POOL_INTERNAL_H

#include "io/scratch/pool.h"

#include <stdbool.h>

void tk_pool_lock(struct tk_pool *pool);
void tk_pool_unlock(struct tk_pool *pool);

/* Puts a task that has pieces left to those that wait, and wakes who sleeps. */
void tk_pool_queue(struct tk_pool *pool, struct tk_task *task);

/* Runs a piece of a task, or one of another, or sleeps until something was queued or done. Drops the lock
 * meanwhile. */
void tk_pool_help(struct tk_pool *pool, struct tk_task *task);

#endif
