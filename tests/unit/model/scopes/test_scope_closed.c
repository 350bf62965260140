/* What a lane says at its end when its scopes came closed: just what its source knew. */
#include "model/scopes/scope_lane.h"
#include "run.h"

#include <string.h>

START_TEST(the_end_is_that_of_the_source)
{
    const struct tk_scope_rules rules = {.limit = 100};
    const struct tk_scope_run run = {.thread = 7, .lane = 3, .kind = TK_LANE_THREAD};
    const struct tk_open_scope open[] = {{.timer = 5, .begin = 40}, {.timer = 6, .begin = 60}};
    const struct tk_open_scope lost[] = {{.timer = 8, .begin = 20}};
    const struct tk_closed_lane closed = {.first = 10,
                                          .last = 90,
                                          .raised = 2,
                                          .too_deep = 4,
                                          .scopes = 11,
                                          .covered = 33,
                                          .max_depth = 9,
                                          .n_open = 2,
                                          .n_lost = 1,
                                          .open = open,
                                          .lost = lost};
    struct tk_scope_lane *lane = tk_scope_lane_new(&rules, &run);
    struct tk_open_scope capacity[2];
    ck_assert_ptr_nonnull(lane);
    ck_assert_int_eq(tk_scope_lane_reserve(lane, 2), 0);
    ck_assert_int_eq(tk_scope_closed_end(lane, &closed), 0);
    const struct tk_lane_end end = tk_scope_lane_end(lane, capacity);
    ck_assert(lane->seen && end.thread == 7 && end.lane == 3 && end.kind == TK_LANE_THREAD);
    ck_assert_int_eq(end.first, 10);
    ck_assert_int_eq(end.last, 90);
    ck_assert_uint_eq(end.raised, 2);
    ck_assert_uint_eq(end.too_deep, 4);
    ck_assert_uint_eq(end.scopes, 11);
    ck_assert_int_eq(end.covered, 33);
    ck_assert_uint_eq(end.max_depth, 9);
    ck_assert_uint_eq(end.n_open, 2);
    ck_assert(end.open[0].timer == 5 && end.open[0].begin == 40);
    ck_assert(end.open[1].timer == 6 && end.open[1].begin == 60);
    ck_assert_uint_eq(end.n_lost, 1);
    ck_assert(end.lost[0].timer == 8 && end.lost[0].begin == 20);
    tk_scope_lane_free(lane);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_end_is_that_of_the_source};
    return RUN_TESTS("scope_closed", tests);
}
