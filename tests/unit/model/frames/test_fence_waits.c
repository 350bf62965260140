/*
 * Waits for fences of other queues: fences that are set already keep nobody waiting, however many there are.
 */
#include "model/frames/frames_in.h"
#include "run.h"

#include <string.h>

enum { MS = 1000000, SIGNALLER = 0, WAITER = 1, CHAIN = 70 };

static void feed(struct tk_fence_waits *f, uint8_t what, uint32_t queue, int64_t time, uint64_t value,
                 uint32_t other)
{
    const struct tk_fact fact = {.kind = TK_FACT_GPU,
                                 .time = time,
                                 .u.gpu = {.what = what, .queue = queue, .number = value, .other = other}};
    ck_assert_int_eq(tk_fence_waits_feed(f, &fact), 0);
}

static void define(struct tk_dict *dict, const struct tk_limits *limits)
{
    static const struct tk_str names[] = {{"Graphics", 8, TK_ENC_UTF8}, {"Compute", 7, TK_ENC_UTF8}};
    const struct tk_fact clock = {.kind = TK_FACT_CLOCK, .u.clock = {.frequency = 1000000000}};
    ck_assert_int_eq(tk_dict_init(dict, limits, NULL), TK_OK);
    ck_assert_int_eq(tk_dict_feed(dict, &clock, NULL), TK_OK);
    for (uint32_t i = 0; i < 2; i++) {
        const struct tk_fact queue = {.kind = TK_FACT_GPU_QUEUE, .u.gpu_queue = {.id = i, .name = &names[i]}};
        ck_assert_int_eq(tk_dict_feed(dict, &queue, NULL), TK_OK);
    }
}

/* What is said of [100 ms, 110 ms) when nothing waited but, if requested, the second queue from 99 ms to 105
 * ms.
 */
static size_t tell(bool waits, char *text, size_t capacity)
{
    const struct tk_limits limits = tk_limits_default();
    struct tk_fence_waits f = {.capacity = {.rows = 1000, .table = "test"},
                               .signals.capacity = {.rows = 1000, .table = "test"}};
    struct tk_dict dict;
    define(&dict, &limits);
    if (waits)
        feed(&f, TK_GPU_FENCE, WAITER, 99 * MS, 7, SIGNALLER);
    for (uint32_t i = 0; i < CHAIN; i++) {
        feed(&f, TK_GPU_SIGNAL, 2 + i, 50 * MS, 1, 0);
        feed(&f, TK_GPU_FENCE, 3 + i, 99 * MS + (int64_t)i, 1, 2 + i);
    }
    feed(&f, TK_GPU_FENCE, WAITER, 99 * MS + CHAIN, 9, SIGNALLER); /* nobody ever sets it */
    feed(&f, TK_GPU_SIGNAL, SIGNALLER, 105 * MS, 7, 0);
    ck_assert_int_eq(tk_fence_waits_settle(&f), 0);
    ck_assert_uint_eq(f.v.n, waits);
    const size_t n = tk_fence_waits_tell(&f, &dict, 100 * MS, 110 * MS, text, capacity);
    tk_fence_waits_release(&f);
    tk_dict_release(&dict);
    return n;
}

START_TEST(those_that_are_set_hide_no_wait)
{
    char text[200];
    ck_assert_uint_gt(tell(true, text, sizeof text), 0);
    ck_assert_str_eq(text, "Compute 5.000 ms for fence 7 of Graphics");
}
END_TEST

START_TEST(a_chain_where_nobody_waits)
{
    char text[200];
    ck_assert_uint_eq(tell(false, text, sizeof text), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {those_that_are_set_hide_no_wait, a_chain_where_nobody_waits};
    return RUN_TESTS("fence waits", tests);
}
