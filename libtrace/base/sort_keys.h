/*
 * Stable sorting of numbers that stand for something else, digit by digit. Addresses are sorted with it.
 */
#ifndef TK_BASE_SORT_KEYS_H
#define TK_BASE_SORT_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct tk_sort_key {
    uint64_t key;
    uint32_t place; /* of what it stands for */
};

/* Sorts n keys; equal ones keep their order. Keys in order already cost one comparison each. 0, or -1 if out
 * of memory (then nothing has moved). */
int tk_sort_keys(struct tk_sort_key *v, size_t n);

#endif
