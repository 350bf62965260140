/* Ahead: things in order, none before there is a place for it, also where one is made of another. */
#include "io/scratch/readahead.h"
#include "run.h"

enum { THINGS = 2000, PLACES = 4, LINES = 3 };

static const unsigned job_counts[] = {1, 2, 5};

/* Numbers 0, 1, ... in plain memory, so that a sanitizer sees who uses a place while it is filled. */
struct numbers {
    struct tk_readahead ahead;
    size_t places[PLACES];
    size_t n, made, back; /* how many there are; made, given back */
};

static bool make_number(void *ctx, size_t number, unsigned worker)
{
    struct numbers *s = ctx;
    (void)worker;
    if (number == s->n)
        return false;
    ck_assert_uint_eq(number, s->made++);
    s->places[number % PLACES] = number;
    return true;
}

static void numbers_open(struct numbers *s, struct tk_pool *pool, size_t n)
{
    *s = (struct numbers){.n = n};
    tk_readahead_open(&s->ahead, pool, make_number, s, PLACES);
}

static size_t take_number(struct numbers *s)
{
    ck_assert(tk_readahead_take(&s->ahead));
    return s->places[s->back % PLACES];
}

static void give_back(struct numbers *s)
{
    s->back++;
    tk_readahead_give_back(&s->ahead);
}

START_TEST(in_order_to_the_end)
{
    struct tk_pool *pool = tk_pool_open(job_counts[_i]);
    struct numbers s;
    numbers_open(&s, pool, THINGS);
    tk_readahead_begin(&s.ahead);
    for (size_t i = 0; i < THINGS; i++) {
        ck_assert_uint_eq(take_number(&s), i);
        ck_assert_uint_eq(take_number(&s), i); /* the same until it is given back */
        give_back(&s);
    }
    ck_assert(!tk_readahead_take(&s.ahead));
    ck_assert(!tk_readahead_take(&s.ahead));
    tk_readahead_close(&s.ahead);
    tk_readahead_close(&s.ahead);
    ck_assert_uint_eq(s.made, THINGS);
    tk_pool_close(pool);
}
END_TEST

START_TEST(no_more_than_places)
{
    struct tk_pool *pool = tk_pool_open(job_counts[_i]);
    struct numbers s;
    numbers_open(&s, pool, THINGS);
    for (size_t i = 0; i < 10; i++) {
        ck_assert_uint_eq(take_number(&s), i);
        give_back(&s);
    }
    ck_assert_uint_eq(take_number(&s), 10);
    tk_readahead_close(&s.ahead);
    ck_assert_uint_gt(s.made, 10);
    ck_assert_uint_le(s.made, 10 + PLACES);
    tk_pool_close(pool);
}
END_TEST

START_TEST(nothing_unrequested)
{
    struct tk_pool *pool = tk_pool_open(job_counts[_i]);
    struct tk_readahead zeroed = {0};
    struct numbers s;
    numbers_open(&s, pool, THINGS);
    tk_readahead_close(&s.ahead);
    ck_assert_uint_eq(s.made, 0);
    tk_readahead_close(&zeroed);
    tk_pool_close(pool);
}
END_TEST

/* Sums of a number of each of several lines, which are at home at different workers. */
struct sums {
    struct numbers lines[LINES];
    struct tk_readahead ahead;
    size_t places[PLACES];
};

static bool make_sum(void *ctx, size_t number, unsigned worker)
{
    struct sums *s = ctx;
    size_t sum = 0;
    (void)worker;
    if (!tk_readahead_take(&s->lines[0].ahead))
        return false;
    for (unsigned i = 0; i < LINES; i++) {
        sum += take_number(&s->lines[i]);
        give_back(&s->lines[i]);
    }
    s->places[number % PLACES] = sum;
    return true;
}

START_TEST(one_of_others)
{
    const unsigned jobs = job_counts[_i];
    struct tk_pool *pool = tk_pool_open(jobs);
    struct sums s;
    for (unsigned i = 0; i < LINES; i++) {
        numbers_open(&s.lines[i], pool, THINGS);
        s.lines[i].ahead.task.home = 1 + i % jobs;
    }
    tk_readahead_open(&s.ahead, pool, make_sum, &s, PLACES);
    s.ahead.task.first = true;
    s.ahead.task.home = jobs;
    for (size_t i = 0; i < THINGS; i++) {
        ck_assert(tk_readahead_take(&s.ahead));
        ck_assert_uint_eq(s.places[i % PLACES], LINES * i);
        tk_readahead_give_back(&s.ahead);
    }
    ck_assert(!tk_readahead_take(&s.ahead));
    tk_readahead_close(&s.ahead);
    for (unsigned i = 0; i < LINES; i++)
        tk_readahead_close(&s.lines[i].ahead);
    tk_pool_close(pool);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {in_order_to_the_end, no_more_than_places, nothing_unrequested,
                                  one_of_others};
    return RUN_TESTS_EACH("ahead", tests, sizeof job_counts / sizeof job_counts[0]);
}
