/*
 * Stable sorting of arrays; an array already in order costs one comparison for each element. Tables are
 * sorted with it.
 */
#ifndef TK_BASE_SORT_H
#define TK_BASE_SORT_H

#include <stddef.h>

/* Sorts n elements of a size; equal ones keep their order. 0, or -1 if out of memory (then nothing has
 * moved). */
int tk_sort(void *v, size_t n, size_t size, int (*compare)(const void *a, const void *b));

#endif
