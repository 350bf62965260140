/*
 * Sorting of items.
 */
#include "format/events/events_in.h"

#include <stdlib.h>
#include <string.h>

/*
 * The sort of items. Short runs are sorted by insertion, then merged in place: what does
 * not move is left out of a merge, and only the left of what moves is copied.
 */

typedef struct tk_ev_item sorted_item;
typedef bool before_fn(const sorted_item *a, const sorted_item *b);

enum { RUN = 16 }; /* items that are sorted by insertion */

static inline bool before_by_time(const sorted_item *a, const sorted_item *b)
{
    return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static inline bool before_by_begin(const sorted_item *a, const sorted_item *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->value != b->value ? a->value > b->value : a->order < b->order;
}

static inline bool before_by_begin_late(const sorted_item *a, const sorted_item *b)
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

static inline void sort_run(sorted_item *v, size_t n, before_fn *before)
{
    for (size_t i = 1; i < n; i++) {
        if (!before(&v[i], &v[i - 1]))
            continue;
        const sorted_item moved = v[i];
        size_t at = i;
        do
            v[at] = v[at - 1];
        while (--at && before(&moved, &v[at - 1]));
        v[at] = moved;
    }
}

/* How many of n items in order stay in front of a new one that comes behind them. */
static inline size_t count_in_front(const sorted_item *v, size_t n, const sorted_item *of, before_fn *before)
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

/* Merges v up to `middle` with what is behind it; `spare` has space for the first of them. */
static inline void merge(sorted_item *v, size_t middle, size_t n, sorted_item *spare, before_fn *before)
{
    if (!before(&v[middle], &v[middle - 1]))
        return;
    const size_t stay = count_in_front(v, middle, &v[middle], before), left = middle - stay;
    const sorted_item *a = spare, *a_end = spare + left, *b = v + middle, *b_end = v + n;
    sorted_item *out = v + stay;
    memcpy(spare, out, left * sizeof *spare);
    while (a < a_end && b < b_end)
        *out++ = before(b, a) ? *b++ : *a++;
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
}

static inline bool is_sorted(const sorted_item *v, size_t n, before_fn *before)
{
    for (size_t i = 1; i < n; i++)
        if (before(&v[i], &v[i - 1]))
            return false;
    return true;
}

static inline int sort_by(sorted_item *v, size_t n, before_fn *before)
{
    if (is_sorted(v, n, before))
        return 0;
    for (size_t i = 0; i < n; i += RUN)
        sort_run(v + i, n - i < RUN ? n - i : RUN, before);
    if (n <= RUN)
        return 0;
    sorted_item *spare = malloc(n * sizeof *spare);
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

#define DISK_MEMORY ((size_t)16 << 20) /* bytes for what is sorted in a temporary file */

static int move_to_disk(struct tk_ev_sorter *s, struct tk_err *err)
{
    int rc = tk_external_sort_open(&s->disk, s->dir, sizeof(struct tk_ev_item), s->compare, DISK_MEMORY, err);
    for (size_t i = 0; i < s->held.n && rc == TK_OK; i++)
        rc = tk_external_sort_add(s->disk, &s->held.v[i], err);
    tk_vec_release(&s->held);
    return rc;
}

int tk_ev_sorter_add(struct tk_ev_sorter *s, const struct tk_ev_item *item, struct tk_err *err)
{
    if (!s->disk && s->held.n < s->most)
        return tk_vec_push(&s->held, *item) ? tk_err_nomem(err, "events to sort") : TK_OK;
    int rc = s->disk ? TK_OK : move_to_disk(s, err);
    return rc == TK_OK ? tk_external_sort_add(s->disk, item, err) : rc;
}

int tk_ev_sorter_start(struct tk_ev_sorter *s, struct tk_err *err)
{
    s->at = 0;
    if (s->disk)
        return tk_external_sort_start(s->disk, err);
    return tk_ev_sort_items(s->held.v, s->held.n, s->compare) ? tk_err_nomem(err, "events to sort") : TK_OK;
}

int tk_ev_sorter_next(struct tk_ev_sorter *s, const struct tk_ev_item **out, struct tk_err *err)
{
    const void *record = NULL;
    if (!s->disk) {
        *out = s->at < s->held.n ? &s->held.v[s->at++] : NULL;
        return *out ? TK_ITEM : TK_OK;
    }
    int rc = tk_external_sort_next(s->disk, &record, err);
    *out = record;
    return rc;
}

void tk_ev_sorter_clear(struct tk_ev_sorter *s)
{
    tk_external_sort_close(s->disk);
    s->disk = NULL;
    tk_vec_release(&s->held);
    s->at = 0;
}
