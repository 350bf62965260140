/* Zones one by one, of the scopes of threads. */
#include "base/wrap.h"
#include "presets/presets_in.h"
#include "run.h"

#include <string.h>

enum { DRAW = 2, MOST = 8 };

#define END TK_OP_END

/* What a taker was reported. */
struct reported {
    size_t begun, ended, lost;
    uint32_t timer[MOST];
    int64_t took[MOST], inside[MOST]; /* of ends: with children, and the children */
};

static struct reported reported;
static struct tk_dict dict;

static int on_begin(void *self, struct tk_zone *zone, uint32_t thread)
{
    struct reported *t = self;
    ck_assert_uint_eq(thread, 5);
    t->timer[t->begun++] = zone->timer;
    return 0;
}

static int on_end(void *self, const struct tk_zone *zone, uint32_t thread, int64_t end)
{
    struct reported *t = self;
    (void)thread;
    t->took[t->ended] = tk_wrap_sub(end, zone->begin);
    t->inside[t->ended++] = zone->children;
    return 0;
}

static int on_lost(void *self, const struct tk_zone *zone, uint32_t thread)
{
    (void)zone;
    (void)thread;
    ((struct reported *)self)->lost++;
    return 0;
}

static void feed(struct tk_fact fact)
{
    ck_assert_int_eq(tk_dict_feed(&dict, &fact, NULL), TK_OK);
}

static void take(size_t n, const uint32_t *op, const int64_t *time)
{
    static const struct tk_zone_taker taker = {on_begin, on_end, on_lost};
    const struct tk_scope_run run = {.thread = 5, .n = n, .time = time, .op = op, .kind = TK_LANE_THREAD};
    struct tk_zones zones = {.taker = &taker, .self = &reported, .kind = TK_LANE_THREAD, .dict = &dict};
    ck_assert_int_eq(tk_zones_take(&zones, &run), 0);
    ck_assert_int_eq(tk_zones_finish(&zones), 0);
    tk_zones_release(&zones);
}

static void begin(void)
{
    static const struct tk_str name = {.p = "Draw", .n = 4};
    static struct tk_limits limits;
    limits = tk_limits_default();
    reported = (struct reported){0};
    ck_assert_int_eq(tk_dict_init(&dict, &limits, NULL), TK_OK);
    feed((struct tk_fact){.kind = TK_FACT_CLOCK, .u.clock = {.frequency = 1000000000}});
    feed((struct tk_fact){.kind = TK_FACT_TIMER, .u.timer = {.id = DRAW, .name = &name}});
}

static void end(void)
{
    tk_dict_release(&dict);
}

/* Whoever has a place for each timer must not be given a slot, the first of which is 134 million. */
START_TEST(timers_reported_late_are_those_of_the_dictionary)
{
    static const uint32_t op[] = {TK_LATE + 1, TK_LATE + 9, DRAW, END, END, END};
    static const int64_t time[] = {0, 10, 20, 30, 40, 50};
    feed((struct tk_fact){.kind = TK_FACT_TIMER_LATE, .u.timer_late = {.slot = 1, .timer = DRAW}});
    take(6, op, time);
    ck_assert_uint_eq(reported.begun, 3);
    ck_assert_uint_eq(reported.timer[0], DRAW);
    ck_assert_uint_lt(reported.timer[1], dict.timers.n);
    ck_assert_int_eq(dict.timers.v[reported.timer[1]].info.kind, TK_TIMER_METADATA);
    ck_assert_uint_eq(reported.timer[2], DRAW);
}
END_TEST

START_TEST(times_are_those_of_the_zone_and_its_children)
{
    static const uint32_t op[] = {DRAW, DRAW, END, DRAW, END, END, DRAW};
    static const int64_t time[] = {100, 110, 130, 140, 145, 200, 300};
    take(7, op, time);
    ck_assert_uint_eq(reported.ended, 3);
    ck_assert_int_eq(reported.took[0], 20);
    ck_assert_int_eq(reported.took[1], 5);
    ck_assert_int_eq(reported.took[2], 100);
    ck_assert_int_eq(reported.inside[2], 25);
    ck_assert_uint_eq(reported.lost, 1);
}
END_TEST

START_TEST(times_can_be_anything)
{
    static const uint32_t op[] = {DRAW, DRAW, END, END};
    static const int64_t time[] = {INT64_MIN, -7, INT64_MAX, INT64_MAX};
    take(4, op, time);
    ck_assert_uint_eq(reported.ended, 2);
    ck_assert_int_eq(reported.took[0], INT64_MIN + 6); /* 2^63 + 6, modulo 2^64 */
    ck_assert_int_eq(reported.took[1], -1);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        timers_reported_late_are_those_of_the_dictionary,
        times_are_those_of_the_zone_and_its_children,
        times_can_be_anything,
    };
    return run_tests("zones", tests, 3, 1, (struct around){begin, end});
}
