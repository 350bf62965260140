/*
 * Metadata instances: pages, palettes that grow too wide, ids that lie far apart.
 */
#include "format/utrace/scopes/timer_ids.h"
#include "run.h"

static uint32_t timer_of(uint32_t instance)
{
    return instance % 7 * 1000 + instance / 5000;
}

START_TEST(nothing)
{
    struct tk_ut_metadata_instances *set = NULL;
    ck_assert_uint_eq(tk_ut_metadata_instances_get(NULL, 0), UINT32_MAX);
    tk_ut_metadata_instances_free(NULL);
    ck_assert_int_eq(tk_ut_metadata_instances_put(&set, 5, 9), 0);
    ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 5), 9);
    ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 4), UINT32_MAX);
    ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 6), UINT32_MAX);
    ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 5 + 4096), UINT32_MAX);
    tk_ut_metadata_instances_free(set);
}
END_TEST

START_TEST(one_after_another)
{
    struct tk_ut_metadata_instances *set = NULL;
    for (uint32_t i = 1; i < 100000; i++)
        ck_assert_int_eq(tk_ut_metadata_instances_put(&set, i, timer_of(i)), 0);
    for (uint32_t i = 1; i < 100000; i++)
        ck_assert_uint_eq(tk_ut_metadata_instances_get(set, i), timer_of(i));
    ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 0), UINT32_MAX);
    ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 100000), UINT32_MAX);
    tk_ut_metadata_instances_free(set);
}
END_TEST

/* 255 timers are what a page can tell in a byte; one more widens it, and all stay what they were. */
START_TEST(many_timers)
{
    for (uint32_t timers = 254; timers <= 258; timers++) {
        struct tk_ut_metadata_instances *set = NULL;
        for (uint32_t i = 0; i < 4096; i += 2)
            ck_assert_int_eq(tk_ut_metadata_instances_put(&set, i, 100000 + i / 2 % timers), 0);
        for (uint32_t i = 0; i < 4096; i++)
            ck_assert_uint_eq(tk_ut_metadata_instances_get(set, i),
                              i % 2 ? UINT32_MAX : 100000 + i / 2 % timers);
        ck_assert_int_eq(tk_ut_metadata_instances_put(&set, 1, 3), 0);
        ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 1), 3);
        tk_ut_metadata_instances_free(set);
    }
}
END_TEST

START_TEST(every_timer_another)
{
    struct tk_ut_metadata_instances *set = NULL;
    for (uint32_t i = 0; i < 3 * 4096; i++)
        ck_assert_int_eq(tk_ut_metadata_instances_put(&set, i, i), 0);
    for (uint32_t i = 0; i < 3 * 4096; i++)
        ck_assert_uint_eq(tk_ut_metadata_instances_get(set, i), i);
    tk_ut_metadata_instances_free(set);
}
END_TEST

START_TEST(far_ids)
{
    static const uint32_t ids[] = {0, 4095, 4096, 0x7FFFFFFF, 0x80000000, 0xFFFFF000, 0xFFFFFFFF, 12345678};
    struct tk_ut_metadata_instances *set = NULL;
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < 8; i++)
            ck_assert_int_eq(tk_ut_metadata_instances_put(&set, ids[i], round * 10 + i), 0);
    for (uint32_t i = 0; i < 8; i++)
        ck_assert_uint_eq(tk_ut_metadata_instances_get(set, ids[i]), 20 + i);
    ck_assert_uint_eq(tk_ut_metadata_instances_get(set, 0xFFFFFFFE), UINT32_MAX);
    tk_ut_metadata_instances_free(set);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {nothing, one_after_another, many_timers, every_timer_another, far_ids};
    return RUN_TESTS("utrace instances", tests);
}
