/*
 * Zones with a time beyond the last one that the header states (tracy-file 4): damage, with its place. They
 * and what follows them in their thread are left out; other threads are read. All that is expected is from
 * the description.
 */
#include "format/tracy/dump.h"
#include "tracy_writer.h"

enum { LAST = 100000 };

static const char *const strings[] = {"one", "file", "Main", "Worker"};
static const struct tk_tw_location places[] = {{0, 0, 1, 1, 0}};
static const struct tk_tw_zone worker_zones[] = {{1, 0, 0, 50, 60}, {1, 0, 0, 70, LAST}};

static void read_zones(struct opened *o, struct lines *l, const struct tk_tw_zone *zones, size_t n)
{
    const struct tk_tw_thread threads[] = {{.tid = 100, .name = 2, .zones = zones, .n = n},
                                           {.tid = 101, .name = 3, .zones = worker_zones, .n = 2}};
    const struct tk_tw_trace trace = {.last_time = LAST,
                                      .crash_message = -1,
                                      .strings = strings,
                                      .n_strings = 4,
                                      .locations = places,
                                      .n_locations = 1,
                                      .threads = threads,
                                      .n_threads = 2};
    struct tk_uw_bytes memory = {0};
    const struct tk_tw_options options = {.memory = &memory,
                                          .version = TK_TW_V(0, 14, 0),
                                          .container = TK_TW_MANY,
                                          .codec = TK_TW_LZ4,
                                          .streams = 1};
    ck_assert_int_eq(tk_tw_write(&options, &trace), 0);
    ck_assert_int_eq(opened_bytes(o, memory.data, memory.size, 1), TK_OK);
    dump_reading(l, o, TK_FACT_MASK(SCOPES), DUMP_EVENTS);
    tk_uw_bytes_release(&memory);
}

#define WORKER                                                                                               \
    "lane 1 thread 2 @50 begins 0\nlane 1 thread 2 @60 ends\nlane 1 thread 2 @70 begins 0\n"                 \
    "lane 1 thread 2 @100000 ends\n"

static void check_zones(const struct tk_tw_zone *zones, size_t n, uint64_t damaged, const char *want)
{
    struct opened o;
    struct lines l = {0};
    read_zones(&o, &l, zones, n);
    dump_compare(&l, want, "zones");
    ck_assert_uint_eq(o.ctx.health.counts[TK_HEALTH_TIME_DAMAGED], damaged);
    ck_assert_int_eq(tk_health_damaged(&o.ctx.health), damaged != 0);
    if (damaged)
        ck_assert_ptr_nonnull(strstr(o.ctx.health.items[0].text, "section 'zones', byte "));
    opened_close(&o);
}

/* An end that is just the last time, and one a nanosecond later. */
START_TEST(end)
{
    const struct tk_tw_zone sound[] = {{1, 0, 0, 10, 20}, {1, 0, 0, 30, LAST}},
                            wrong[] = {
                                {1, 0, 0, 10, 20}, {1, 0, 0, 30, LAST + 1}, {1, 0, 0, LAST + 2, LAST + 3}};
    check_zones(sound, 2, 0,
                "lane 0 thread 1 @10 begins 0\nlane 0 thread 1 @20 ends\nlane 0 thread 1 @30 begins 0\n"
                "lane 0 thread 1 @100000 ends\n" WORKER);
    check_zones(
        wrong, 3, 1,
        "lane 0 thread 1 @10 begins 0\nlane 0 thread 1 @20 ends\nlane 0 thread 1 @30 begins 0\n" WORKER);
}
END_TEST

/* A begin inside of another zone: that one stays, without an end. */
START_TEST(begin)
{
    const struct tk_tw_zone zones[] = {
        {1, 0, 0, 10, LAST}, {1, 1, 0, 12, 13}, {1, 1, 0, INT64_C(1) << 40, (INT64_C(1) << 40) + 5}};
    check_zones(
        zones, 3, 1,
        "lane 0 thread 1 @10 begins 0\nlane 0 thread 1 @12 begins 0\nlane 0 thread 1 @13 ends\n" WORKER);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {end, begin};
    return RUN_TESTS("tracy last time", tests);
}
