/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_MEMORY_MEMORY_IN_H
#define TK_MODEL_MEMORY_MEMORY_IN_H

#include "model/memory/memory_model.h"
#include "model/memory/memory_names.h"
#include "query/collector.h"
#include "tracekit/tables.h"

/*
 * The parts of the memory model: memory_model.c takes facts, threads and times, memory_steps.c plays a step,
 * memory_sums.c says what it does to the sums of groups. Private to these.
 */

/* A step of a thread at a time. 0, or -1 if out of memory. */
int tk_memory_step(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                   int64_t time);

/* From now on all happens at this time: is it selected? 0 or -1. */
int tk_memory_time(struct tk_memory *m, int64_t time);

/* Nothing happens before `time` any more: what is alive now is alive where selected times begin until then.
 */
void tk_memory_see_ranges(struct tk_memory *m, int64_t time);

/* What is alive now is what is alive at the start of the selected time, or where it ends for good. */
void tk_memory_begin_ends(struct tk_memory *m);
void tk_memory_end_ends(struct tk_memory *m);

/* A block becomes one of those that are alive in its groups, or is one no longer, without being allocated or
 * freed: in the flow, but in no count. 0 or -1. */
int tk_memory_enter(struct tk_memory *m, const struct tk_block *b);
int tk_memory_leave(struct tk_memory *m, const struct tk_block *b);

/* The same for one that is allocated or freed. 0 or -1. */
int tk_memory_enter_new(struct tk_memory *m, const struct tk_block *b, bool realloc);
int tk_memory_leave_freed(struct tk_memory *m, const struct tk_block *b, bool realloc);

/* Counts a free of what is not alive. 0 or -1. */
int tk_memory_unknown(struct tk_memory *m, uint32_t heap);

/* The moment requested has come: what is alive now is what was in question. 0 or -1. */
int tk_memory_reach(struct tk_memory *m);

/*
 * Memory table: the state that tables about memory share, and their hooks; each only adds how it sends its
 * rows (collector.h).
 */

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

/*
 * Memory rows: what rows of the tables about groups of allocations begin with, and which groups a query
 *requests
 *.
 */

/* The first columns of such a table. */
enum {
    TK_MEMORY_BY,
    TK_MEMORY_HEAP_ID,
    TK_MEMORY_HEAP_NAME,
    TK_MEMORY_KEY,
    TK_MEMORY_NAME,
    TK_MEMORY_PATH,
    TK_MEMORY_KEY_COLUMNS
};

#define TK_MEMORY_KEYS                                                                                       \
    [TK_MEMORY_BY] =                                                                                         \
        {"by", TK_TEXT, 0, NULL,                                                                             \
         "total, heap, tag, thread, size, asset, container, swap, callstack, function, module or file"},     \
    [TK_MEMORY_HEAP_ID] = {"heap_id", TK_UINT, 0, NULL,                                                      \
                           "root heap: 0 system memory, 1 video memory, others; the heap of a container"},   \
    [TK_MEMORY_HEAP_NAME] = {"heap", TK_TEXT, TK_COL_EXTRA, NULL, "name of the heap"},                       \
    [TK_MEMORY_KEY] = {"key", TK_INT, 0, NULL,                                                               \
                       "id of the tag, thread or callstack; for sizes the upper bound in bytes"},            \
    [TK_MEMORY_NAME] = {"name", TK_TEXT, 0, NULL,                                                            \
                        "name of the heap, tag, thread, asset, function, module or file; for callstacks "    \
                        "the innermost frame that is not an allocator"},                                     \
    [TK_MEMORY_PATH] = {"path", TK_TEXT, TK_COL_EXTRA, NULL,                                                 \
                        "a tag with its parents; the package of an asset"}

/* The groups that a query requests (TK_ALLOC_BIT), all of them where it names none. */
unsigned tk_memory_groups_requested(const struct tk_query_context *view);

/* What the groups need beyond the facts of memory; named: are their names wanted? */
void tk_memory_groups_add_needs(const struct tk_query_context *view, bool named, struct tk_needs *needs);

/* Texts that have to be made, before the row is requested. */
struct tk_memory_texts {
    struct tk_cell name, path;
};

struct tk_memory_texts tk_memory_texts_make(struct tk_memory_table *m, const struct tk_alloc_group *g,
                                            struct tk_emit *emit);

/* Fills in the first columns. */
void tk_memory_fill_key(const struct tk_memory_table *m, const struct tk_alloc_group *g,
                        const struct tk_memory_texts *texts, struct tk_cell *row);

#endif
