/*
 * A radix sort from the lowest digit, which leaves out digits that all keys share. See sort_keys.h.
 */
#include "base/sort_keys.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, VALUES = 1 << DIGIT, FEW = 48 };

static bool is_sorted_keys(const struct tk_sort_key *v, size_t n)
{
    size_t i = 1;
    while (i < n && v[i - 1].key <= v[i].key)
        i++;
    return i >= n;
}

/* For which a table of all values of a digit would not pay. */
static void sort_few(struct tk_sort_key *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const struct tk_sort_key key = v[i];
        size_t at = i;
        for (; at && v[at - 1].key > key.key; at--)
            v[at] = v[at - 1];
        v[at] = key;
    }
}

static void sort_digit(struct tk_sort_key *to, const struct tk_sort_key *from, size_t n, unsigned shift,
                       size_t at[VALUES])
{
    size_t sum = 0;
    memset(at, 0, VALUES * sizeof *at);
    for (size_t i = 0; i < n; i++)
        at[from[i].key >> shift & (VALUES - 1)]++;
    for (size_t i = 0; i < VALUES; i++) {
        const size_t count = at[i];
        at[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[at[from[i].key >> shift & (VALUES - 1)]++] = from[i];
}

int tk_sort_keys(struct tk_sort_key *v, size_t n)
{
    if (is_sorted_keys(v, n))
        return 0;
    if (n <= FEW) {
        sort_few(v, n);
        return 0;
    }
    struct tk_sort_key *spare = malloc(n * sizeof *spare), *from = v, *to = spare;
    size_t *at = spare ? malloc(VALUES * sizeof *at) : NULL; /* too much for a small stack */
    if (!at) {
        free(spare);
        return -1;
    }
    uint64_t differs = 0;
    for (size_t i = 1; i < n; i++)
        differs |= v[i].key ^ v[0].key;
    for (unsigned shift = 0; shift < 64; shift += DIGIT) {
        if (!(differs >> shift & (VALUES - 1)))
            continue;
        sort_digit(to, from, n, shift, at);
        struct tk_sort_key *done = to;
        to = from;
        from = done;
    }
    if (from != v)
        memcpy(v, from, n * sizeof *v);
    free(spare);
    free(at);
    return 0;
}
