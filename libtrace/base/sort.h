/*
 * Sorting of arrays: stable, with as much memory again, or in place.
 */
#ifndef TK_BASE_SORT_H
#define TK_BASE_SORT_H

#include <stddef.h>

/* Sorts n elements of a size; equal ones keep their order, and an array already in order costs one comparison
 * for each element. Tables are sorted with it. 0, or -1 if out of memory (then nothing has moved). */
int tk_sort(void *v, size_t n, size_t size, int (*compare)(const void *a, const void *b));

/* Sorts n elements of a size in place; equal ones come in any order. spare has room for one element. */
void tk_sort_in_place(void *v, size_t n, size_t size, int (*compare)(const void *a, const void *b),
                      void *spare);

#endif
