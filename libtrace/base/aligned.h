/*
 * Memory that begins at a multiple, for what must not lie across lines of the cache.
 */
#ifndef TK_BASE_ALIGNED_H
#define TK_BASE_ALIGNED_H

#include <stddef.h>

/* n bytes at a multiple of `align`, a power of two that is at least that of a pointer. Not zeroed; NULL if
 * out of memory. */
void *tk_aligned_alloc(size_t align, size_t n);

/* NULL is allowed. */
void tk_aligned_free(void *p);

#endif
