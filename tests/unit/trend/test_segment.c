/*
 * Segments, their pruning and drifts, on curves whose levels are written down here.
 */
#include "base/arena.h"
#include "run.h"
#include "trend/trend_in.h"

#include <math.h>

enum { NIGHTS = 40 };

static struct tk_arena arena;
static struct tk_trend_space space;
static double z[NIGHTS];
static struct tk_trend_curve curve;

/* Noise of +-1 by turns, so that the spread is known: distances of 2, sd 1.4826 * 2 / sqrt(2) at most. */
static void begin(void)
{
    for (int t = 0; t < NIGHTS; t++)
        z[t] = t % 2 ? 0.5 : -0.5;
    curve = (struct tk_trend_curve){.z = z, .sd = 1, .phi = 1, .span = {0, NIGHTS}};
    ck_assert_int_eq(tk_trend_space(&space, &arena, NIGHTS, NIGHTS), 0);
}

static void raise_from(int night, double by)
{
    for (int t = night; t < NIGHTS; t++)
        z[t] += by;
}

START_TEST(a_step_is_found_at_its_night)
{
    begin();
    raise_from(25, 8);
    ck_assert_uint_eq(tk_trend_segment(&curve, 20, &space), 1);
    ck_assert_uint_eq(space.steps[0], 25);
    raise_from(32, -8);
    ck_assert_uint_eq(tk_trend_segment(&curve, 20, &space), 2);
    ck_assert_uint_eq(space.steps[1], 32);
    tk_arena_release(&arena);
}
END_TEST

/* The bound is 0.42 of the penalty: 3 * 0.42 > 1 > 2 * 0.42. */
START_TEST(three_nights_at_the_end_pay_and_two_never_do)
{
    begin();
    raise_from(NIGHTS - 2, 1000);
    ck_assert_uint_eq(tk_trend_segment(&curve, 20, &space), 0);
    raise_from(NIGHTS - 3, 0);
    z[NIGHTS - 3] += 1000;
    ck_assert_uint_eq(tk_trend_segment(&curve, 20, &space), 1);
    ck_assert_uint_eq(space.steps[0], NIGHTS - 3);
    tk_arena_release(&arena);
}
END_TEST

/* Night 20 is as far from both levels as can be: a change there costs as much as one behind it. */
START_TEST(of_two_nights_that_cost_the_same_the_first_is_taken)
{
    begin();
    raise_from(20, 8);
    z[20] = 1000;
    ck_assert_uint_eq(tk_trend_segment(&curve, 20.1, &space), 1);
    ck_assert_uint_eq(space.steps[0], 20);
    ck_assert_uint_eq(tk_trend_segment(&curve, 17.7, &space), 1);
    ck_assert_uint_eq(space.steps[0], 20);
    tk_arena_release(&arena);
}
END_TEST

START_TEST(gaps_are_stepped_over)
{
    begin();
    raise_from(25, 8);
    for (int t = 22; t < 27; t++)
        z[t] = NAN;
    ck_assert_uint_eq(tk_trend_segment(&curve, 20, &space), 1);
    ck_assert_uint_eq(space.steps[0], 27);
    for (int t = 7; t < NIGHTS; t++)
        z[t] = NAN;
    ck_assert_uint_eq(tk_trend_segment(&curve, 20, &space), 0); /* fewer than 8 nights */
    tk_arena_release(&arena);
}
END_TEST

/* Sides of 20 nights: se = sqrt(1 / 20 + 1 / 20), and the size is what was added. */
START_TEST(a_change_has_size_and_error)
{
    const struct tk_trend_test test = {.beta = 20, .nu = 20, .limit = 1e-3, .floor = 0.1};
    uint32_t nights[] = {20};
    struct tk_trend_step step;
    begin();
    raise_from(20, 3);
    tk_trend_judge(&curve, nights, 1, &test, &space, &step);
    ck_assert(fabs(step.size - 3) < 1e-12);
    ck_assert(fabs(step.se - sqrt(0.1)) < 1e-12);
    ck_assert(step.p < 1e-6);
    tk_trend_place(&curve, &step, 1, &test);
    ck_assert(step.low <= 20 && step.high >= 20 && step.high - step.low < 6);
    tk_arena_release(&arena);
}
END_TEST

/* Of two places one is a change: the other goes, and the first has all nights on its sides then. */
START_TEST(what_is_no_change_is_pruned)
{
    const struct tk_trend_test test = {.beta = 20, .nu = 20, .limit = 1e-3, .floor = 0.1};
    uint32_t nights[] = {10, 20};
    struct tk_trend_step steps[2];
    begin();
    raise_from(20, 3);
    ck_assert_uint_eq(tk_trend_prune(&curve, nights, 2, &test, &space, steps), 1);
    ck_assert_uint_eq(nights[0], 20);
    ck_assert(fabs(steps[0].se - sqrt(0.1)) < 1e-12);
    begin();
    nights[0] = 10;
    nights[1] = 20;
    ck_assert_uint_eq(tk_trend_prune(&curve, nights, 2, &test, &space, steps), 0);
    tk_arena_release(&arena);
}
END_TEST

/* A ramp of 20 sd over all nights is one drift in place of stairs; a step of as much is none. */
START_TEST(stairs_that_a_ramp_explains_are_a_drift)
{
    const struct tk_trend_test test = {.beta = 20, .nu = 20, .limit = 1e-3, .floor = 0.1};
    struct tk_trend_drift drifts[NIGHTS + 1];
    uint8_t fixed[NIGHTS] = {0};
    uint32_t nights[NIGHTS];
    size_t found, n;
    begin();
    for (int t = 0; t < NIGHTS; t++)
        z[t] += 0.5 * t;
    n = tk_trend_segment(&curve, test.beta, &space);
    ck_assert_uint_gt(n, 1);
    for (size_t i = 0; i < n; i++)
        nights[i] = space.steps[i];
    ck_assert_uint_eq(tk_trend_drifts(&curve, nights, fixed, n, &test, &space, drifts, &found), 0);
    ck_assert_uint_eq(found, 1);
    ck_assert(fabs(drifts[0].after - drifts[0].before - 20) < 1);
    begin();
    raise_from(20, 20);
    nights[0] = 20;
    ck_assert_uint_eq(tk_trend_drifts(&curve, nights, fixed, 1, &test, &space, drifts, &found), 1);
    ck_assert_uint_eq(found, 0);
    tk_arena_release(&arena);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {a_step_is_found_at_its_night,
                                  three_nights_at_the_end_pay_and_two_never_do,
                                  of_two_nights_that_cost_the_same_the_first_is_taken,
                                  gaps_are_stepped_over,
                                  a_change_has_size_and_error,
                                  what_is_no_change_is_pruned,
                                  stairs_that_a_ramp_explains_are_a_drift};
    return RUN_TESTS("segment", tests);
}
