/*
 * See lane_cursor_heap.h.
 */
#include "format/utrace/reading/lane_cursor_heap.h"

static void set(struct tk_ut_cursor_heap *h, size_t i, struct tk_ut_cursor_keyed c)
{
    h->v[i] = c;
    c.cursor->place = i;
}

static void down(struct tk_ut_cursor_heap *h, size_t i)
{
    struct tk_ut_cursor_keyed c = h->v[i];
    for (size_t child; (child = 2 * i + 1) < h->n; i = child) {
        child += child + 1 < h->n && h->v[child + 1].key < h->v[child].key;
        if (c.key <= h->v[child].key)
            break;
        set(h, i, h->v[child]);
    }
    set(h, i, c);
}

/* Puts c at index i or above it. Returns where. */
static size_t up(struct tk_ut_cursor_heap *h, size_t i, struct tk_ut_cursor_keyed c)
{
    for (; i && h->v[(i - 1) / 2].key > c.key; i = (i - 1) / 2)
        set(h, i, h->v[(i - 1) / 2]);
    set(h, i, c);
    return i;
}

void tk_ut_cursor_heap_push(struct tk_ut_cursor_heap *h, struct tk_ut_lane_cursor *c, uint64_t key)
{
    up(h, h->n++, (struct tk_ut_cursor_keyed){key, c});
}

struct tk_ut_lane_cursor *tk_ut_cursor_heap_take(struct tk_ut_cursor_heap *h, size_t i)
{
    struct tk_ut_lane_cursor *taken = h->v[i].cursor;
    struct tk_ut_cursor_keyed last = h->v[--h->n];
    if (i != h->n)
        down(h, up(h, i, last));
    return taken;
}
