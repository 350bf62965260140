/* Sorted items are in order, and are those that came: in runs, at random, from behind, with many equal times.
 */
#include "format/events/events_in.h"
#include "run.h"

#include <stdlib.h>

enum { MOST = 700 };

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Items numbered by `order`; times of `spread` values, rising by `rise` an item. */
static void fill(struct tk_ev_item *v, size_t n, uint32_t *state, uint32_t spread, int64_t rise)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (struct tk_ev_item){.time = (int64_t)(next_random(state) % spread) + rise * (int64_t)i,
                                   .value = (int64_t)(next_random(state) % 3),
                                   .what = (uint32_t)i * 7,
                                   .order = (uint32_t)i};
}

static void check(struct tk_ev_item *v, size_t n, tk_ev_compare *compare)
{
    bool seen[MOST] = {false};
    ck_assert_int_eq(tk_ev_sort_items(v, n, compare), 0);
    for (size_t i = 0; i < n; i++) {
        ck_assert(v[i].order < n && !seen[v[i].order] && v[i].what == v[i].order * 7);
        seen[v[i].order] = true;
        ck_assert(!i || compare(&v[i - 1], &v[i]) < 0);
    }
}

START_TEST(all_orders)
{
    tk_ev_compare *const orders[] = {tk_ev_by_time, tk_ev_by_begin, tk_ev_by_begin_late};
    static const struct {
        uint32_t spread;
        int64_t rise;
    } shapes[] = {{2, 0}, {40, 0}, {100000, 0}, {60, 10}, {5, -3}, {1, 1}};
    static struct tk_ev_item v[MOST];
    uint32_t state = 1;
    for (size_t n = 0; n <= MOST; n += 1 + n / 9)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (size_t o = 0; o < 3; o++) {
                fill(v, n, &state, shapes[s].spread, shapes[s].rise);
                check(v, n, orders[o]);
            }
}
END_TEST

START_TEST(by_hand)
{
    /* begin 5 to 9, begin 5 to 7, begin 2 to 3; the longer of those at 5 comes first */
    struct tk_ev_item v[] = {{5, 7, 0, 0}, {5, 9, 0, 1}, {2, 3, 0, 2}, {5, 9, 0, 3}};
    ck_assert_int_eq(tk_ev_sort_items(v, 4, tk_ev_by_begin), 0);
    ck_assert(v[0].order == 2 && v[1].order == 1 && v[2].order == 3 && v[3].order == 0);
    ck_assert_int_eq(tk_ev_sort_items(v, 4, tk_ev_by_begin_late), 0);
    ck_assert(v[0].order == 2 && v[1].order == 3 && v[2].order == 1 && v[3].order == 0);
    ck_assert_int_eq(tk_ev_sort_items(v, 4, tk_ev_by_time), 0);
    ck_assert(v[0].order == 2 && v[1].order == 0 && v[2].order == 1 && v[3].order == 3);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {all_orders, by_hand};
    return RUN_TESTS("sorting of items", tests);
}
