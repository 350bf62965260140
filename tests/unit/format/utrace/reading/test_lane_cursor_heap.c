/* The heap of cursors against a list that is searched: the least on top, each at the place it knows. */
#include "format/utrace/reading/reading_in.h"
#include "run.h"

#include <string.h>

enum { CURSORS = 40, STEPS = 20000 };

static struct tk_ut_lane_cursor cursors[CURSORS];
static uint64_t keys[CURSORS];
static bool inside[CURSORS];
static struct tk_ut_cursor_keyed capacity[CURSORS];
static struct tk_ut_cursor_heap heap = {.v = capacity};
static uint32_t seed = 1;

static uint32_t below(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
}

static void check(void)
{
    size_t n = 0;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < CURSORS; i++) {
        if (!inside[i])
            continue;
        n++;
        least = keys[i] < least ? keys[i] : least;
        must(cursors[i].place < heap.n && heap.v[cursors[i].place].cursor == &cursors[i]);
        must(heap.v[cursors[i].place].key == keys[i]);
    }
    must(heap.n == n);
    must(n == 0 || heap.v[0].key == least);
}

/* Any may be taken out: from the middle mostly, from the top in the end, when they come in order. */
START_TEST(least_on_top)
{
    for (int step = 0; step < STEPS; step++) {
        size_t i = below(CURSORS);
        if (inside[i]) {
            must(tk_ut_cursor_heap_take(&heap, cursors[i].place) == &cursors[i]);
        } else {
            keys[i] = below(60); /* some are equal */
            tk_ut_cursor_heap_push(&heap, &cursors[i], keys[i]);
        }
        inside[i] = !inside[i];
        check();
    }
    uint64_t last = 0;
    while (heap.n) {
        size_t i = (size_t)(tk_ut_cursor_heap_take(&heap, 0) - cursors);
        must(inside[i] && keys[i] >= last);
        last = keys[i];
        inside[i] = false;
        check();
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {least_on_top};
    return RUN_TESTS("cursor_heap", tests);
}
