/*
 * Sorting of arrays: stable, with as much memory again, or in place.
 */
#ifndef TK_BASE_SORT_H
#define TK_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n elements of a size; equal ones keep their order, and an array already in order costs one comparison
 * for each element. Tables are sorted with it. 0, or -1 if out of memory (then nothing has moved). */
int tk_sort(void *v, size_t n, size_t size, int (*compare)(const void *a, const void *b));

/* Sorts n elements of a size in place; equal ones come in any order. spare has space for one element. */
void tk_sort_in_place(void *v, size_t n, size_t size, int (*compare)(const void *a, const void *b),
                      void *spare);

/*
 * Binary search in a sorted array. Formats, tables and comparisons use it.
 */

/* Sets `at`, a size_t, to the first of n places for which `before`, an expression of `at`, is false, or to n.
 * It has to be true for all places in front of that one and for none behind it. */
#define TK_SEARCH(at, n, before)                                                                             \
    do {                                                                                                     \
        size_t tk_search_low = 0, tk_search_high = (n);                                                      \
        while (tk_search_low < tk_search_high) {                                                             \
            (at) = tk_search_low + (tk_search_high - tk_search_low) / 2;                                     \
            if (before)                                                                                      \
                tk_search_low = (at) + 1;                                                                    \
            else                                                                                             \
                tk_search_high = (at);                                                                       \
        }                                                                                                    \
        (at) = tk_search_low;                                                                                \
    } while (0)

/*
 * Stable sorting of numbers that stand for something else, digit by digit. Addresses are sorted with it.
 */

struct tk_sort_key {
    uint64_t key;
    uint32_t place; /* of what it stands for */
};

/* Sorts n keys; equal ones keep their order. Keys in order already cost one comparison each. 0, or -1 if out
 * of memory (then nothing has moved). */
int tk_sort_keys(struct tk_sort_key *v, size_t n);

#endif
