/* Tests of things that are used behind their maker: all of them, in order, one at a time, and none beyond a
 * failure. */
#include "io/scratch/readahead.h"
#include "run.h"

#include <stdlib.h>

enum { PLACES = 3, THINGS = 20000 };

struct log {
    size_t things[PLACES];
    size_t n;       /* used so far */
    size_t fail_at; /* this one says no */
    size_t wrong;
};

static int use_thing(void *ctx, size_t number, unsigned worker)
{
    struct log *log = ctx;
    (void)worker;
    log->wrong += number != log->n || log->things[number % PLACES] != number * 7;
    log->things[number % PLACES] = 0;
    log->n++;
    return number == log->fail_at ? -5 : 0;
}

static int give_things(struct tk_writebehind *w, struct log *log, size_t n)
{
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        log->things[w->made % PLACES] = w->made * 7;
        rc = tk_writebehind_give(w);
    }
    return rc;
}

START_TEST(all_are_used_in_order)
{
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        struct log log = {.fail_at = SIZE_MAX};
        struct tk_writebehind w;
        struct tk_pool *pool = tk_pool_open(jobs);
        tk_writebehind_open(&w, pool, use_thing, &log, PLACES);
        ck_assert_int_eq(tk_writebehind_drain(&w), 0);
        ck_assert_int_eq(give_things(&w, &log, THINGS), 0);
        ck_assert_int_eq(tk_writebehind_drain(&w), 0);
        ck_assert_uint_eq(log.n, THINGS);
        ck_assert_int_eq(give_things(&w, &log, 5), 0); /* and once more */
        ck_assert_int_eq(tk_writebehind_drain(&w), 0);
        ck_assert_uint_eq(log.n, THINGS + 5);
        ck_assert_uint_eq(log.wrong, 0);
        tk_pool_close(pool);
    }
}
END_TEST

START_TEST(nothing_is_used_beyond_a_failure)
{
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        struct log log = {.fail_at = 100};
        struct tk_writebehind w;
        struct tk_pool *pool = tk_pool_open(jobs);
        tk_writebehind_open(&w, pool, use_thing, &log, PLACES);
        ck_assert_int_eq(give_things(&w, &log, THINGS), -5);
        ck_assert_uint_le(w.made, 101 + PLACES);
        ck_assert_int_eq(tk_writebehind_drain(&w), -5);
        ck_assert_uint_eq(log.n, 101);
        ck_assert_int_eq(tk_writebehind_give(&w), -5);
        ck_assert_int_eq(tk_writebehind_drain(&w), -5);
        ck_assert_uint_eq(log.n, 101);
        ck_assert_uint_eq(log.wrong, 0);
        tk_pool_close(pool);
    }
}
END_TEST

START_TEST(what_was_never_opened_may_be_drained)
{
    struct tk_writebehind w = {0};
    ck_assert_int_eq(tk_writebehind_drain(&w), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_are_used_in_order, nothing_is_used_beyond_a_failure,
                                  what_was_never_opened_may_be_drained};
    return RUN_TESTS("writebehind", tests);
}
