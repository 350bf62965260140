/*
 * Signals of fences: the first of a queue that reaches a value, whatever came between.
 */
#include "model/timeline/fence_signals.h"
#include "run.h"

enum { QUEUES = 70 };

static void set(struct tk_fence_signals *s, uint32_t queue, int64_t time, uint64_t value)
{
    const struct tk_fact fact = {
        .kind = TK_FACT_GPU, .time = time, .u.gpu = {.what = TK_GPU_SIGNAL, .queue = queue, .number = value}};
    ck_assert_int_eq(tk_fence_signals_add(s, &fact), 0);
}

static int64_t time_of(const struct tk_fence_signals *s, uint32_t queue, uint64_t value)
{
    const struct tk_fence_signal *signal = tk_fence_signal_find(s, queue, value);
    return signal ? signal->time : -1;
}

START_TEST(the_first_that_reaches_a_value)
{
    struct tk_fence_signals s = {.capacity = {.rows = 100, .table = "test"}};
    set(&s, 2, 10, 3);
    set(&s, 2, 20, 3); /* not greater: no wait ends here */
    set(&s, 2, 30, 2);
    set(&s, 2, 40, 7);
    ck_assert_int_eq(time_of(&s, 2, 1), 10);
    ck_assert_int_eq(time_of(&s, 2, 3), 10);
    ck_assert_int_eq(time_of(&s, 2, 4), 40);
    ck_assert_int_eq(time_of(&s, 2, 8), -1);
    ck_assert_int_eq(time_of(&s, 1, 1), -1);
    ck_assert_int_eq(time_of(&s, 9, 1), -1);
    tk_fence_signals_release(&s);
}
END_TEST

/* Each queue of a chain has its own values, and finds those of the one before it. */
START_TEST(a_chain_of_queues)
{
    struct tk_fence_signals s = {.capacity = {.rows = 1000, .table = "test"}};
    for (uint32_t i = 0; i < QUEUES; i++)
        set(&s, i, 100 + (int64_t)i, i + 1);
    for (uint32_t i = 0; i < QUEUES; i++) {
        ck_assert_int_eq(time_of(&s, i, i + 1), 100 + (int64_t)i);
        ck_assert_int_eq(time_of(&s, i, i + 2), -1);
    }
    tk_fence_signals_release(&s);
}
END_TEST

START_TEST(no_more_than_there_is_space_for)
{
    struct tk_health health = {0};
    struct tk_fence_signals s = {.capacity = {.health = &health, .rows = 2, .table = "test"}};
    for (uint32_t i = 0; i < 5; i++)
        set(&s, i, i, 1);
    ck_assert_uint_eq(s.n, 2);
    ck_assert_int_eq(time_of(&s, 1, 1), 1);
    ck_assert_int_eq(time_of(&s, 2, 1), -1);
    ck_assert(tk_health_partial(&health));
    tk_fence_signals_release(&s);
    tk_health_release(&health);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {the_first_that_reaches_a_value, a_chain_of_queues,
                                  no_more_than_there_is_space_for};
    return RUN_TESTS("fence signals", tests);
}
