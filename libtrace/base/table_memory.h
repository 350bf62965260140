/*
 * Memory of hash tables. The system may have large pages for those that are large, which this folder does not
 * know: who does proposes it.
 */
#ifndef TK_BASE_HASH_TABLE_MEMORY_H
#define TK_BASE_HASH_TABLE_MEMORY_H

#include <stddef.h>

/* n bytes for a table, not zeroed, to be freed by free(). NULL if out of memory. */
void *tk_table_memory(size_t n);

/* Proposes where memory of tables comes from, in place of malloc: the first proposal counts, for the process.
 */
void tk_table_memory_by(void *(*memory)(size_t n));

#endif
