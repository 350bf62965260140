/* Tests of things that are made at one time and used in order: each is made once, all are used in order, one
 * at a time, and none beyond a failure. */
#include "io/scratch/pool.h"
#include "run.h"

#include <stdlib.h>

enum { THINGS = 20000 };

struct log {
    size_t filled[TK_IN_ORDER_MOST], made[TK_IN_ORDER_MOST];
    size_t given, n; /* used so far */
    size_t fail_at;  /* this one says no */
    size_t wrong;
};

static void make_thing(void *ctx, size_t place, unsigned worker)
{
    struct log *log = ctx;
    (void)worker;
    for (volatile size_t i = 0; i < log->filled[place] % 64; i++) /* some take longer than others */
        continue;
    log->made[place] += log->filled[place] * 7;
}

static int use_thing(void *ctx, size_t place, unsigned worker)
{
    struct log *log = ctx;
    const size_t number = log->n++;
    (void)worker;
    log->wrong += log->made[place] != number * 7;
    log->made[place] = 0;
    return number == log->fail_at ? -5 : 0;
}

static int give_things(struct tk_in_order *o, struct log *log, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        log->filled[tk_in_order_filling(o)] = log->given++;
        rc = tk_in_order_give(o);
    }
    return rc;
}

START_TEST(all_are_used_in_order)
{
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        struct log log = {.fail_at = SIZE_MAX};
        struct tk_in_order o;
        struct tk_pool *pool = tk_pool_open(jobs);
        tk_in_order_open(&o, pool, make_thing, use_thing, &log);
        ck_assert_int_eq(tk_in_order_drain(&o), 0);
        ck_assert_int_eq(give_things(&o, &log, THINGS), 0);
        ck_assert_int_eq(tk_in_order_drain(&o), 0);
        ck_assert_uint_eq(log.n, THINGS);
        ck_assert_int_eq(give_things(&o, &log, 2), 0); /* and once more */
        ck_assert_int_eq(tk_in_order_drain(&o), 0);
        ck_assert_uint_eq(log.n, THINGS + 2);
        ck_assert_uint_eq(log.wrong, 0);
        tk_pool_close(pool);
    }
}
END_TEST

START_TEST(nothing_is_used_beyond_a_failure)
{
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        struct log log = {.fail_at = 100};
        struct tk_in_order o;
        struct tk_pool *pool = tk_pool_open(jobs);
        tk_in_order_open(&o, pool, make_thing, use_thing, &log);
        ck_assert_int_eq(give_things(&o, &log, THINGS), -5);
        ck_assert_uint_le(log.given, 101 + jobs + 1);
        ck_assert_int_eq(tk_in_order_drain(&o), -5);
        ck_assert_uint_eq(log.n, 101);
        ck_assert_uint_eq(log.wrong, 0);
        tk_pool_close(pool);
    }
}
END_TEST

START_TEST(what_was_never_opened_may_be_drained)
{
    struct tk_in_order o = {0};
    ck_assert_int_eq(tk_in_order_drain(&o), 0);
}
END_TEST

START_TEST(there_are_never_more_places_than_that)
{
    struct log log = {.fail_at = SIZE_MAX};
    struct tk_in_order o;
    struct tk_pool *pool = tk_pool_open(40);
    tk_in_order_open(&o, pool, make_thing, use_thing, &log);
    ck_assert_int_eq(give_things(&o, &log, 1000), 0);
    ck_assert_int_eq(tk_in_order_drain(&o), 0);
    ck_assert_uint_eq(log.n, 1000);
    ck_assert_uint_eq(log.wrong, 0);
    tk_pool_close(pool);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_are_used_in_order, nothing_is_used_beyond_a_failure,
                                  what_was_never_opened_may_be_drained,
                                  there_are_never_more_places_than_that};
    return RUN_TESTS("in_order", tests);
}
