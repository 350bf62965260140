/* What is kept in a track comes back as it was: steps of any size, whatever is spilled in between; and events
 * of the usual kind take few bytes. */
#include "format/events/track.h"
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

int main(void)
{
    const TTest *tests[] = {comes_back, takes_few_bytes, order_is_seen_behind_a_spill};
    return RUN_TESTS("tracks", tests);
}
