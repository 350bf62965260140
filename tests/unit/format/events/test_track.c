/* What is kept in a track comes back as it was: steps of any size, whatever is spilled in between; and events
 * of the usual kind take few bytes. */
#include "format/events/events_in.h"
#include "run.h"

static const struct tk_ev_item items[] = {
    {0, TK_EV_BEGIN, 0, 0},
    {5, TK_EV_BEGIN, 1, 1},
    {5, TK_EV_END, UINT32_MAX, 2},
    {300, TK_EV_END, 1, 3},
    {-70000, -69999, 200, 4},             /* a whole one, before the others */
    {INT64_MAX, INT64_MIN + 2, 70000, 5}, /* every difference is as large as can be */
    {INT64_MIN + 2, INT64_MAX, UINT32_MAX - 1, UINT32_MAX},
    {0, 0, UINT32_C(0x80000000), 0},
    {INT64_C(1) << 40, INT64_C(1) << 50, UINT32_C(0x80000001), 77},
    {1, 0, UINT32_C(0x7fffffff), 3},
    {1, TK_EV_BEGIN, 0, 4},
};
enum { COUNT = sizeof items / sizeof *items, ROUNDS = 100 };

static void check_item(const struct tk_ev_item *got, const struct tk_ev_item *want)
{
    ck_assert(got->time == want->time && got->value == want->value && got->what == want->what &&
              got->order == want->order);
}

START_TEST(comes_back)
{
    for (unsigned spilled_after = 0; spilled_after <= COUNT + 1; spilled_after++) {
        struct tk_err err = {0};
        struct tk_ev_track track = {0};
        struct tk_spill *spill = NULL;
        const struct tk_ev_item *item;
        ck_assert_int_eq(tk_spill_open(&spill, NULL, &err), TK_OK);
        for (unsigned i = 0; i < COUNT * ROUNDS; i++) {
            ck_assert(tk_ev_track_add(&track, &items[i % COUNT]) > 0);
            if (spilled_after && i % (COUNT + 1) == spilled_after - 1)
                ck_assert_int_eq(tk_ev_track_spill(&track, spill, &err), TK_OK);
        }
        struct tk_ev_track_reader reader = {.track = &track, .spill = spill};
        for (unsigned i = 0; i < COUNT * ROUNDS; i++) {
            ck_assert_int_eq(tk_ev_track_next(&reader, &item, &err), TK_ITEM);
            check_item(item, &items[i % COUNT]);
        }
        ck_assert_int_eq(tk_ev_track_next(&reader, &item, &err), TK_OK);
        ck_assert_int_eq(tk_ev_track_next(&reader, &item, &err), TK_OK);
        ck_assert(track.unsorted && track.n == COUNT * ROUNDS);
        tk_ev_track_reader_release(&reader);
        tk_ev_track_release(&track);
        tk_spill_close(spill);
    }
}
END_TEST

START_TEST(takes_few_bytes)
{
    struct tk_ev_track track = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        struct tk_ev_item item = {i * 1000, i % 2 ? TK_EV_END : TK_EV_BEGIN, i % 100, i};
        ck_assert(tk_ev_track_add(&track, &item) > 0);
    }
    ck_assert(!track.unsorted);
    ck_assert_msg(track.held.n <= 5 * 1000, "%zu bytes", track.held.n); /* 2, a step of 2, a number of 1 */
    tk_ev_track_release(&track);
}
END_TEST

START_TEST(order_is_seen_behind_a_spill)
{
    struct tk_err err = {0};
    struct tk_ev_track track = {0};
    struct tk_spill *spill = NULL;
    struct tk_ev_item late = {10, TK_EV_BEGIN, 0, 0}, early = {9, TK_EV_END, 0, 1};
    ck_assert_int_eq(tk_spill_open(&spill, NULL, &err), TK_OK);
    ck_assert(tk_ev_track_add(&track, &late) > 0);
    ck_assert_int_eq(tk_ev_track_spill(&track, spill, &err), TK_OK);
    ck_assert(tk_ev_track_add(&track, &early) > 0);
    ck_assert(track.unsorted);
    tk_ev_track_release(&track);
    tk_spill_close(spill);
}
END_TEST

enum { MOST = 4000 };

/* Bundles of cores: each in order, of `length` items at most; those of several overlap, and times are equal
 * here and there. */
static size_t fill_bundles(struct tk_ev_item *v, uint32_t length, uint32_t *state)
{
    size_t n = 0;
    for (int64_t start = 0; n + length < MOST; start = (length > 8 ? start : 0) + (*state >> 8 & 0xff)) {
        int64_t time = start;
        *state = *state * 1664525u + 1013904223u;
        for (uint32_t left = 1 + (*state >> 8) % length; left; left--) {
            *state = *state * 1664525u + 1013904223u;
            time += *state >> 8 & 7;
            v[n] = (struct tk_ev_item){time, (int64_t)(*state >> 4), *state & 0xff, (uint32_t)n};
            n++;
        }
    }
    return n;
}

/* All of it comes in the order of a sort. */
static bool check_ordered(const struct tk_ev_track *track, struct tk_ev_item *v, size_t n)
{
    struct tk_err err = {0};
    struct tk_ev_ordered ordered;
    const struct tk_ev_item *item;
    ck_assert_int_eq(tk_ev_sort_items(v, n, tk_ev_by_time), 0);
    ck_assert_int_eq(tk_ev_ordered_open(&ordered, track, NULL, NULL, &err), TK_OK);
    const bool merges = ordered.merges;
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(tk_ev_ordered_next(&ordered, &item, &err), TK_ITEM);
        check_item(item, &v[i]);
    }
    ck_assert_int_eq(tk_ev_ordered_next(&ordered, &item, &err), TK_OK);
    tk_ev_ordered_release(&ordered);
    return merges;
}

START_TEST(runs_are_merged)
{
    static struct tk_ev_item v[MOST];
    uint32_t state = 1;
    bool any[2] = {false};
    for (uint32_t length = 2; length < MOST / 2; length += 1 + length / 2) {
        struct tk_ev_track track = {0};
        const size_t n = fill_bundles(v, length, &state);
        for (size_t i = 0; i < n; i++)
            ck_assert(tk_ev_track_add(&track, &v[i]) > 0);
        ck_assert(track.unsorted);
        const bool merges = check_ordered(&track, v, n);
        ck_assert(merges == !track.scattered);
        any[merges] = true;
        tk_ev_track_release(&track);
    }
    ck_assert(any[0] && any[1]); /* short runs are sorted */
}
END_TEST

START_TEST(a_track_in_order_has_no_runs)
{
    struct tk_ev_track track = {0};
    struct tk_ev_item v[] = {{1, 0, 0, 0}, {1, 0, 0, 1}, {2, 0, 0, 2}};
    for (size_t i = 0; i < 3; i++)
        ck_assert(tk_ev_track_add(&track, &v[i]) > 0);
    ck_assert(!check_ordered(&track, v, 3) && !track.runs.n);
    tk_ev_track_release(&track);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {comes_back, takes_few_bytes, order_is_seen_behind_a_spill, runs_are_merged,
                            a_track_in_order_has_no_runs};
    return RUN_TESTS("tracks", tests);
}
