/*
 * Memory rows: what rows of the tables about groups of allocations begin with, and which groups a query asks
 * for.
 */
#ifndef TK_MODEL_MEMORY_MEMORY_ROWS_H
#define TK_MODEL_MEMORY_MEMORY_ROWS_H

#include "model/memory/memory_table.h"

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

/* The groups that a query asks for (TK_ALLOC_BIT), all of them where it names none. */
unsigned tk_memory_groups_asked(const struct tk_query_context *view);

/* Facts beyond those of memory that the groups need; named: are their names wanted? */
uint64_t tk_memory_groups_facts(unsigned groups, bool named);

/* What they need to know beforehand: a hook of a builder. */
unsigned tk_memory_beforehand(const struct tk_query_context *view);

/* Texts that have to be made, before the row is asked for. */
struct tk_memory_texts {
    struct tk_cell name, path;
};

struct tk_memory_texts tk_memory_texts_make(struct tk_memory_table *m, const struct tk_alloc_group *g,
                                            struct tk_emit *emit);

/* Fills in the first columns. */
void tk_memory_fill_key(const struct tk_memory_table *m, const struct tk_alloc_group *g,
                        const struct tk_memory_texts *texts, struct tk_cell *row);

#endif
