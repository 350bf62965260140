/* Selections of times, requested of tables that go by them in ways of their own. Expectations are worked out
 * by hand. */
#include "cpu.h"
#include "put.h"

#define START 1000 /* cycle 0 of the recording, 1000 cycles per second */

static void bookmark(struct captured *c, uint64_t at, uint64_t point)
{
    const struct tk_uw_bytes none = {0};
    tk_uw_bookmark(&c->uw, &c->lanes[0], START + at, point, &none);
}

/* A call of a timer on thread 2 + lane. */
static void calls(struct captured *c, unsigned lane, uint64_t from, uint64_t to)
{
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, 1, "Work", "A.cpp", 1);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[lane], 3);
    tk_uw_cpu_begin(&cpu, START + from, 1);
    tk_uw_cpu_end(&cpu, START + to);
    tk_uw_cpu_flush(&cpu);
}

/* An event before, between and behind two bookmarks; the first of these is in what they select. */
START_TEST(events_between_bookmarks)
{
    struct captured *c = captured_new(7);
    struct put_type *reached = put_new(c, "Game.Reached", "Number:i", 0);
    tk_uw_bookmark_spec(&c->uw, 1, 1, "Begin", "A.cpp");
    tk_uw_bookmark_spec(&c->uw, 2, 2, "End", "A.cpp");
    put(c, 0, reached, Q(1));
    bookmark(c, 15, 1);
    put(c, 0, reached, Q(2));
    bookmark(c, 25, 2);
    put(c, 0, reached, Q(3));
    captured_close(c);
    c->select.from_bookmark = "Begin";
    c->select.to_bookmark = "End";
    ck_assert_str_eq(captured_table(c, "event_counts", "event,count,bytes"),
                     "Game.Reached|1|\nMisc.Bookmark|1|\n");
    free(reached);
    captured_free(c);
}
END_TEST

/* Regions keep their numbers, whichever of them are selected. */
START_TEST(numbers_of_regions)
{
    static const uint64_t begins[] = {10, 30, 50};
    struct captured *c = captured_new(7);
    for (size_t i = 0; i < 3; i++) {
        tk_uw_region_begin(&c->uw, &c->lanes[0], START + begins[i], i == 1 ? "Menu" : "Loading", "");
        tk_uw_region_end(&c->uw, &c->lanes[0], START + begins[i] + 10, i == 1 ? "Menu" : "Loading");
    }
    calls(c, 0, 0, 100);
    captured_close(c);
    c->by = TK_BY_REGION;
    ck_assert_str_eq(captured_table(c, "groups", "group,number,incl"),
                     "Loading|0|10\nMenu|0|10\nLoading|1|10\n");
    c->select = (struct tk_selection){.has_from = true, .from_ns = 45000000};
    ck_assert_str_eq(captured_table(c, "groups", "group,number,incl"), "Loading|1|10\n");
    captured_free(c);
}
END_TEST

/* What lies between frames is in none of them: of the calls the second is outside, the third has a gap. */
START_TEST(between_frames)
{
    struct captured *c = captured_new(7);
    for (uint64_t begin = 10; begin < 60; begin += 20) {
        tk_uw_frame_begin(&c->uw, &c->lanes[0], START + begin, 0);
        tk_uw_frame_end(&c->uw, &c->lanes[0], START + begin + 10, 0);
    }
    calls(c, 0, 12, 15);
    calls(c, 1, 22, 28);
    calls(c, 2, 18, 32);
    calls(c, 3, 52, 55); /* in frame 2 */
    captured_close(c);
    c->select = (struct tk_selection){.has_frames = true, .last_frame = 1};
    ck_assert_str_eq(captured_table(c, "timers", "timer,count,total"), "Work|2|7\n"); /* 3 + 2 + 2 */
    c->select.first_frame = 1;
    ck_assert_str_eq(captured_table(c, "timers", "timer,count,total"), "Work|1|2\n");
    captured_free(c);
}
END_TEST

/* What never ends lasts: a lock that is never got, requested at 10, and a scope from 10 on, which is cut. */
START_TEST(never_ends)
{
    struct captured *c = captured_new(7);
    struct put_type *ask = put_new(c, "Chaos.LockAcquireBegin", "Cycle:q bIsWrite:b", 0);
    struct tk_uw_cpu cpu;
    tk_uw_cpu_spec(&c->uw, 1, "Work", "A.cpp", 1);
    tk_uw_cpu_init(&cpu, &c->uw, &c->lanes[1], 3);
    tk_uw_cpu_begin(&cpu, START + 10, 1);
    tk_uw_cpu_flush(&cpu);
    put(c, 0, ask, Q(START + 10), Q(1));
    captured_close(c);
    c->select = (struct tk_selection){.has_from = true, .from_ns = 40000000};
    ck_assert_str_eq(captured_table(c, "lock_rows", "requested"), "1010\n");
    ck_assert_str_eq(captured_table(c, "scopes", "timer,start,dur"), "Work|1010|\n");
    c->clip = true;
    ck_assert_str_eq(captured_table(c, "scopes", "timer,start,dur"), "Work|1040|\n");
    free(ask);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {events_between_bookmarks, numbers_of_regions, between_frames, never_ends};
    return RUN_TESTS("selection", tests);
}
