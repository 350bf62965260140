/*
 * Zones that do not lie behind or inside each other (tracy-file 5.10): damage, with its place. They and what
 * follows them in their thread are left out, and raise no times; other threads are read. All that is expected
 * is from the description.
 */
#include "format/tracy/dump.h"
#include "tracy_writer.h"

#define MS INT64_C(1000000)

static const char *const strings[] = {"one", "file", "Main", "Worker"};
static const struct tk_tw_location places[] = {{0, 0, 1, 1, 0}};
static const struct tk_tw_zone worker_zones[] = {{1, 0, 0, 50, 60}};

#define WORKER "lane 1 thread 2 @50 begins 0\nlane 1 thread 2 @60 ends\n"

static void check_zones(const struct tk_tw_zone *zones, size_t n, uint64_t damaged, const char *want)
{
    const struct tk_tw_thread threads[] = {{.tid = 100, .name = 2, .zones = zones, .n = n},
                                           {.tid = 101, .name = 3, .zones = worker_zones, .n = 1}};
    const struct tk_tw_trace trace = {.last_time = 100 * MS,
                                      .crash_message = -1,
                                      .strings = strings,
                                      .n_strings = 4,
                                      .locations = places,
                                      .n_locations = 1,
                                      .threads = threads,
                                      .n_threads = 2};
    const struct tk_tw_options options = {.memory = &(struct tk_uw_bytes){0},
                                          .version = TK_TW_V(0, 14, 0),
                                          .container = TK_TW_MANY,
                                          .codec = TK_TW_LZ4,
                                          .streams = 1};
    struct opened o;
    struct lines l = {0};
    ck_assert_int_eq(tk_tw_write(&options, &trace), 0);
    ck_assert_int_eq(opened_bytes(&o, options.memory->data, options.memory->size, 1), TK_OK);
    dump_reading(&l, &o, TK_FACT_MASK(SCOPES), DUMP_EVENTS);
    dump_compare(&l, want, "zones");
    ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_TIME_DAMAGED], damaged);
    if (damaged)
        ck_assert_ptr_nonnull(strstr(o.ctx.health.items[0].text, "section 'zones', byte "));
    opened_close(&o);
    tk_uw_bytes_release(options.memory);
}

/* A zone that begins inside of the one in front of it, without being its child. */
START_TEST(begin_before_the_last_end)
{
    const struct tk_tw_zone zones[] = {
        {1, 0, 0, 1 * MS, 20 * MS}, {1, 0, 0, 15 * MS, 30 * MS}, {1, 0, 0, 31 * MS, 32 * MS}};
    check_zones(zones, 3, 1, "lane 0 thread 1 @1000000 begins 0\nlane 0 thread 1 @20000000 ends\n" WORKER);
}
END_TEST

/* One that ends behind the zone around it: that one stays, without an end. */
START_TEST(end_before_that_of_a_child)
{
    const struct tk_tw_zone zones[] = {
        {1, 0, 0, 1 * MS, 10 * MS}, {1, 1, 0, 5 * MS, 15 * MS}, {1, 0, 0, 31 * MS, 32 * MS}};
    check_zones(zones, 3, 1,
                "lane 0 thread 1 @1000000 begins 0\nlane 0 thread 1 @5000000 begins 0\n"
                "lane 0 thread 1 @15000000 ends\n" WORKER);
}
END_TEST

/* An end below 0 that is not the mark of none. */
START_TEST(end_below_zero)
{
    const struct tk_tw_zone zones[] = {{1, 0, 0, 5 * MS, -2}};
    check_zones(zones, 1, 1, "lane 0 thread 1 @5000000 begins 0\n" WORKER);
}
END_TEST

/* A clock that steps back by a millisecond is a clock; one that does so by a nanosecond more is damage. */
START_TEST(small_steps)
{
    const struct tk_tw_zone clock[] = {{1, 0, 0, 1 * MS, 20 * MS}, {1, 0, 0, 19 * MS, 21 * MS}},
                            wrong[] = {{1, 0, 0, 1 * MS, 20 * MS}, {1, 0, 0, 19 * MS - 1, 21 * MS}};
    check_zones(clock, 2, 0,
                "lane 0 thread 1 @1000000 begins 0\nlane 0 thread 1 @20000000 ends\n"
                "lane 0 thread 1 @19000000 begins 0\nlane 0 thread 1 @21000000 ends\n" WORKER);
    check_zones(wrong, 2, 1, "lane 0 thread 1 @1000000 begins 0\nlane 0 thread 1 @20000000 ends\n" WORKER);
}
END_TEST

/* What has no end, and what follows it, goes as before. */
START_TEST(no_end)
{
    const struct tk_tw_zone zones[] = {{1, 0, 0, 1 * MS, 20 * MS}, {1, 0, 0, 21 * MS, -1}};
    check_zones(zones, 2, 0,
                "lane 0 thread 1 @1000000 begins 0\nlane 0 thread 1 @20000000 ends\n"
                "lane 0 thread 1 @21000000 begins 0\n" WORKER);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {begin_before_the_last_end, end_before_that_of_a_child, end_below_zero,
                                  small_steps, no_end};
    return RUN_TESTS("tracy, zones that nest", tests);
}
