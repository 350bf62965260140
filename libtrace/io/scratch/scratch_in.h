/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_IO_SCRATCH_SCRATCH_IN_H
#define TK_IO_SCRATCH_SCRATCH_IN_H

#include "io/scratch/pool.h"
#include "io/scratch/spill.h"

#include <stdbool.h>

/*
 * The part of the pool that readahead.c uses under the pool's lock. All but tk_pool_lock are called with the
 * lock held.
 */

void tk_pool_lock(struct tk_pool *pool);
void tk_pool_unlock(struct tk_pool *pool);

/* Puts a task that has pieces left to those that wait, and wakes who sleeps. */
void tk_pool_queue(struct tk_pool *pool, struct tk_task *task);

/* Runs a piece of a task, or one of another, or sleeps until something was queued or done. Drops the lock
 * meanwhile. */
void tk_pool_help(struct tk_pool *pool, struct tk_task *task);

/*
 * What spill_column.c and spill_column_read.c share: changes of spilled records, as they are stored in order
 * of their index.
 */

enum { TK_SPILL_COLUMN_CHANGES = 256 }; /* most changes of a piece */

struct tk_spill_column_change {
    uint64_t index;
    uint8_t record[TK_SPILL_COLUMN_CHANGED];
};

/* The temporary file of a store; NULL where nothing was spilled. */
struct tk_spill *tk_spill_columns_file(const struct tk_spill_columns *s);

#endif
