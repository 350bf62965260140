/*
 * Memory table: the state that tables about memory share, and their hooks; each only adds how it sends its
 * rows (collector.h).
 */
#ifndef TK_MODEL_MEMORY_MEMORY_TABLE_H
#define TK_MODEL_MEMORY_MEMORY_TABLE_H

#include "model/memory/memory_model.h"
#include "model/memory/memory_names.h"
#include "query/collector.h"

struct tk_memory_table {
    struct tk_collector g;
    struct tk_memory model;
    struct tk_memory_names names;
};

/* The hooks of a builder; steps are fed in batches, as the model looks ahead in them. */
#define TK_MEMORY_TABLE(how)                                                                                 \
    .gathering = &(how), .open = tk_collector_open, .feed = tk_memory_table_feed,                            \
    .finish = tk_collector_finish, .close = tk_collector_close

/* To be called by `start`. Returns 0. */
int tk_memory_table_init(struct tk_memory_table *t, const struct tk_memory_setup *setup);

int tk_memory_table_feed(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err);

/* Hooks of a struct tk_collecting. */
int tk_memory_table_settle(void *self);
void tk_memory_table_release(void *self);

/* Instead of tk_memory_table_settle, for tables of groups alone: ranks them by an amount. What only steps
 * need is gone by then. 0, or -1 if out of memory. */
int tk_memory_table_rank(struct tk_memory_table *t, uint64_t (*amount)(const struct tk_alloc_group *g));

#endif
