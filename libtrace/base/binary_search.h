/*
 * Binary search in a sorted array. Formats, tables and comparisons use it.
 */
#ifndef TK_BASE_BINARY_SEARCH_H
#define TK_BASE_BINARY_SEARCH_H

#include <stddef.h>

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

#endif
