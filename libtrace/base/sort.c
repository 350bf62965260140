/*
 * A stable merge sort, bottom up, and a heap sort, which needs no memory.
 */
#include "base/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * A radix sort from the lowest digit, which leaves out digits that all keys share.
 */

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

typedef int compare_fn(const void *a, const void *b);

static bool is_sorted(const char *v, size_t n, size_t size, compare_fn *compare)
{
    for (size_t i = 1; i < n; i++) {
        if (compare(v + (i - 1) * size, v + i * size) > 0)
            return false;
    }
    return true;
}

/* Merges two sorted runs that follow each other. */
static void merge_sort(char *out, const char *a, const char *b, const char *end, size_t size,
                       compare_fn *compare)
{
    const char *middle = b;
    for (; a < middle && b < end; out += size) {
        const char **next = compare(b, a) < 0 ? &b : &a;
        memcpy(out, *next, size);
        *next += size;
    }
    memcpy(out, a, (size_t)(middle - a));
    memcpy(out + (middle - a), b, (size_t)(end - b));
}

int tk_sort(void *v, size_t n, size_t size, int (*compare)(const void *a, const void *b))
{
    if (is_sorted(v, n, size, compare))
        return 0;
    char *from = v, *to = malloc(n * size), *spare = to;
    if (!to)
        return -1;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            size_t middle = i + run < n ? i + run : n, end = i + 2 * run < n ? i + 2 * run : n;
            merge_sort(to + i * size, from + i * size, from + middle * size, from + end * size, size,
                       compare);
        }
        char *done = to;
        to = from;
        from = done;
    }
    if (from != (char *)v)
        memcpy(v, from, n * size);
    free(spare);
    return 0;
}

/* Puts an element into a heap of n, from `at` down, above all that are not greater. */
static void sink(char *v, size_t n, size_t size, compare_fn *compare, size_t at, const void *element)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && compare(v + (child + 1) * size, v + child * size) > 0;
        if (compare(v + child * size, element) <= 0)
            break;
        memcpy(v + at * size, v + child * size, size);
    }
    memcpy(v + at * size, element, size);
}

void tk_sort_in_place(void *v, size_t n, size_t size, int (*compare)(const void *a, const void *b),
                      void *spare)
{
    char *p = v;
    for (size_t i = n / 2; i-- > 0;) {
        memcpy(spare, p + i * size, size);
        sink(p, n, size, compare, i, spare);
    }
    for (size_t end = n; end-- > 1;) {
        memcpy(spare, p + end * size, size);
        memcpy(p + end * size, p, size);
        sink(p, end, size, compare, 0, spare);
    }
}
