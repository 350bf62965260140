/*
 * Groups of allocations by the function, module and source file that allocated: sums over callstacks, made
 * when all is read. What was the most at one time is not known of them.
 */
#ifndef TK_MODEL_MEMORY_CODE_GROUPS_H
#define TK_MODEL_MEMORY_CODE_GROUPS_H

#include "model/memory/memory_table.h"

/* Which of them a query asks for: a mask of TK_BY_FUNCTION, TK_BY_MODULE, TK_BY_FILE. */
unsigned tk_code_groups_asked(const struct tk_query_context *view);

/* Adds them to the groups of the model, when it and the names are settled; without a query for callstacks
 * themselves these are taken out. 0, or -1 when memory is out. */
int tk_code_groups_add(struct tk_memory_table *m);

#endif
