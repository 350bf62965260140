/*
 * The sort of items; see sort_items.h. Short runs are sorted by insertion, then merged in place: what does
 * not move is left out of a merge, and only the left of what moves is copied.
 */
#include "format/events/sort_items.h"

#include <stdlib.h>
#include <string.h>

typedef struct tk_ev_item item;
typedef bool before_fn(const item *a, const item *b);

enum { RUN = 16 }; /* items that are sorted by insertion */

static inline bool before_by_time(const item *a, const item *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static inline bool before_by_begin(const item *a, const item *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->value != b->value ? a->value > b->value : a->order < b->order;
}

static inline bool before_by_begin_late(const item *a, const item *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->value != b->value ? a->value > b->value : a->order > b->order;
}

#define COMPARE(a, b, before) before(b, a) - before(a, b)

int tk_ev_by_time(const void *a, const void *b)
{
    return COMPARE(a, b, before_by_time);
}

int tk_ev_by_begin(const void *a, const void *b)
{
    return COMPARE(a, b, before_by_begin);
}

int tk_ev_by_begin_late(const void *a, const void *b)
{
    return COMPARE(a, b, before_by_begin_late);
}

static inline void sort_run(item *v, size_t n, before_fn *before)
{
    for (size_t i = 1; i < n; i++) {
        if (!before(&v[i], &v[i - 1]))
            continue;
        const item moved = v[i];
        size_t at = i;
        do
            v[at] = v[at - 1];
        while (--at && before(&moved, &v[at - 1]));
        v[at] = moved;
    }
}

/* How many of n items in order stay in front of a new one that comes behind them. */
static inline size_t count_in_front(const item *v, size_t n, const item *of, before_fn *before)
{
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        if (before(of, &v[middle]))
            n = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Merges v up to `middle` with what is behind it; `spare` has room for the first of them. */
static inline void merge(item *v, size_t middle, size_t n, item *spare, before_fn *before)
{
    if (!before(&v[middle], &v[middle - 1]))
        return;
    const size_t stay = count_in_front(v, middle, &v[middle], before), left = middle - stay;
    const item *a = spare, *a_end = spare + left, *b = v + middle, *b_end = v + n;
    item *out = v + stay;
    memcpy(spare, out, left * sizeof *spare);
    while (a < a_end && b < b_end)
        *out++ = before(b, a) ? *b++ : *a++;
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
}

static inline bool is_sorted(const item *v, size_t n, before_fn *before)
{
    for (size_t i = 1; i < n; i++)
        if (before(&v[i], &v[i - 1]))
            return false;
    return true;
}

static inline int sort_by(item *v, size_t n, before_fn *before)
{
    if (is_sorted(v, n, before))
        return 0;
    for (size_t i = 0; i < n; i += RUN)
        sort_run(v + i, n - i < RUN ? n - i : RUN, before);
    if (n <= RUN)
        return 0;
    item *spare = malloc(n * sizeof *spare);
    if (!spare)
        return -1;
    for (size_t run = RUN; run < n; run *= 2)
        for (size_t i = 0; n - i > run; i += 2 * run) {
            merge(v + i, run, n - i < 2 * run ? n - i : 2 * run, spare, before);
            if (n - i <= 2 * run)
                break;
        }
    free(spare);
    return 0;
}

int tk_ev_sort_items(struct tk_ev_item *v, size_t n, tk_ev_compare *compare)
{
    if (compare == tk_ev_by_time)
        return sort_by(v, n, before_by_time);
    return compare == tk_ev_by_begin ? sort_by(v, n, before_by_begin) : sort_by(v, n, before_by_begin_late);
}
