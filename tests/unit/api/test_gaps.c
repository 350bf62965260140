/*
 * What began before events that are lost, and ends behind them, is not paired without a word: frames,
 * regions by name, locks, tasks, work of a GPU. Expectations are worked out by hand.
 *
 * Each round is a packet of thread 2, in which a frame of 10 cycles ends and the next one begins; the packet
 * of round 100 is not written (but the numbers of its events are taken).
 */
#include "put.h"

enum { ROUNDS = 200, LOST = 100, TYPES = 12 };
enum { BEGIN, END, REGION_BEGIN, REGION_END, ASK, GOT, BACK, LAUNCH, START_TASK, FINISH, WORK, WORK_END };

static const struct {
    const char *name, *fields;
    uint8_t flags;
} declared[TYPES] = {
    [BEGIN] = {"Misc.BeginFrame", "Cycle:q FrameType:b", 0},
    [END] = {"Misc.EndFrame", "Cycle:q FrameType:b", 0},
    [REGION_BEGIN] = {"Misc.RegionBegin", "Cycle:q RegionName:w", TK_UW_AUX},
    [REGION_END] = {"Misc.RegionEnd", "Cycle:q RegionName:w", TK_UW_AUX},
    [ASK] = {"Chaos.LockAcquireBegin", "Cycle:q bIsWrite:b", 0},
    [GOT] = {"Chaos.LockAcquired", "Cycle:q", 0},
    [BACK] = {"Chaos.LockAcquireEnd", "Cycle:q", 0},
    [LAUNCH] = {"TaskTrace.Launched", "Timestamp:q TaskId:q DebugName:w", TK_UW_AUX},
    [START_TASK] = {"TaskTrace.Started", "Timestamp:q TaskId:q", 0},
    [FINISH] = {"TaskTrace.Finished", "Timestamp:q TaskId:q", 0},
    [WORK] = {"GpuProfiler.EventBeginWork", "QueueId:i GPUTimestampTOP:q CPUTimestamp:q", 0},
    [WORK_END] = {"GpuProfiler.EventEndWork", "QueueId:i GPUTimestampBOP:q", 0},
};

#define LOST_HERE ((unsigned)_i)

static struct put_type *types[TYPES];

static void put_round(struct captured *c, unsigned i)
{
    uint64_t at = Q(1000 + i * 10);
    if (i)
        put(c, 0, types[END], at, Q(0));
    if (i + 1 < ROUNDS)
        put(c, 0, types[BEGIN], at, Q(0));
}

/* On threads of their own, what is open while the packet is lost. */
static void put_others(struct captured *c, unsigned i)
{
    uint64_t at = Q(1000 + i * 10);
    if (i == LOST - 1) {
        put(c, 1, types[REGION_BEGIN], at, "Level");
        put(c, 1, types[ASK], at, Q(1));
        put(c, 1, types[GOT], at + 1);
        put(c, 1, types[LAUNCH], at, Q(7), "Job");
        put(c, 2, types[WORK], Q(3), at, at);
    }
    if (i == LOST + 1) {
        put(c, 1, types[REGION_END], at, "Level");
        put(c, 1, types[BACK], at);
        put(c, 1, types[FINISH], at, Q(7));
        put(c, 2, types[WORK_END], Q(3), at);
        put(c, 2, types[WORK], Q(3), at + 2, at);
        put(c, 2, types[WORK_END], Q(3), at + 5);
    }
}

/* Rounds from `from` up to `to` are not written. */
static struct captured *make_without(unsigned from, unsigned to)
{
    struct captured *c = captured_new(7);
    for (int i = 0; i < TYPES; i++)
        types[i] = put_new(c, declared[i].name, declared[i].fields, declared[i].flags);
    for (unsigned i = 0; i < ROUNDS; i++) {
        put_round(c, i);
        if (i >= from && i < to)
            c->lanes[0].pending.size = 0;
        put_others(c, i);
        captured_send(c);
    }
    captured_close(c);
    for (int i = 0; i < TYPES; i++)
        free(types[i]);
    return c;
}

static struct captured *make(bool lost)
{
    return make_without(LOST, LOST + lost);
}

/* Frame 99 begins at 990 since the start, and where it ends was reported in round 100. */
START_TEST(frames)
{
    struct captured *c = make(_i != 0);
    c->select =
        (struct tk_selection){.has_from = true, .has_to = true, .from_ns = 985000000, .to_ns = 1015000000};
    ck_assert_str_eq(captured_table(c, "frames", "start,end,lost"),
                     _i ? "1980|1990|\n1990||1\n2010|2020|\n"
                        : "1980|1990|\n1990|2000|\n2000|2010|\n2010|2020|\n");
    c->select = (struct tk_selection){0};
    ck_assert_str_eq(captured_table(c, "frame_stats", "count,open,max"), _i ? "197|1|10\n" : "199|0|10\n");
    ck_assert_uint_eq(captured_faults(c, "frames", "part_unmatched"), LOST_HERE);
    ck_assert_uint_eq(captured_faults(c, "frames", "events_lost"), 2 * LOST_HERE);
    captured_free(c);
}
END_TEST

START_TEST(no_hitch)
{
    struct captured *c = make(_i != 0);
    ck_assert_str_eq(captured_table(c, "hitches", "frame"), "");
    captured_free(c);
}
END_TEST

/* In what was sent last nobody is to blame for numbers that are missing: but the end of a frame of 50 cycles
 * is rather that of another one. A frame of the usual length keeps its end, whatever is missing in it. */
START_TEST(no_hitch_at_the_end)
{
    struct captured *c = make_without(194, _i ? 198 : 194);
    ck_assert_uint_eq(captured_faults(c, "frames", "events_lost"), 0);
    ck_assert_str_eq(captured_table(c, "hitches", "frame"), "");
    ck_assert_str_eq(captured_table(c, "frame_stats", "count,open,max"), _i ? "194|1|10\n" : "199|0|10\n");
    ck_assert_uint_eq(captured_faults(c, "frames", "part_unmatched"), LOST_HERE);
    captured_free(c);
}
END_TEST

START_TEST(reported_as_quality)
{
    struct captured *c = make(_i != 0);
    ck_assert_str_eq(captured_table(c, "quality", "kind,count"), _i ? "lost|2\n" : "");
    captured_free(c);
}
END_TEST

START_TEST(regions)
{
    struct captured *c = make(_i != 0);
    ck_assert_str_eq(captured_table(c, "regions", "name,start,end"), "Level|1990|2010\n");
    ck_assert_uint_eq(captured_faults(c, "regions", "part_unmatched"), LOST_HERE);
    captured_free(c);
}
END_TEST

START_TEST(locks)
{
    struct captured *c = make(_i != 0);
    ck_assert_str_eq(captured_table(c, "locks", "count,open,held"), _i ? "1|0|0\n" : "1|0|19\n");
    ck_assert_uint_eq(captured_faults(c, "locks", "part_unmatched"), 2 * LOST_HERE);
    captured_free(c);
}
END_TEST

START_TEST(tasks)
{
    struct captured *c = make(_i != 0);
    ck_assert_uint_eq(captured_faults(c, "tasks", "part_unmatched"), LOST_HERE);
    captured_free(c);
}
END_TEST

/* The second piece of work, of 3, is the only one that is whole. */
START_TEST(work_of_a_gpu)
{
    struct captured *c = make(_i != 0);
    ck_assert_str_eq(captured_table(c, "gpu_queues", "work_items,work"), _i ? "1|3\n" : "2|23\n");
    ck_assert_uint_eq(captured_faults(c, "gpu_queues", "gpu_time_dropped"), LOST_HERE);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {frames, no_hitch, no_hitch_at_the_end, reported_as_quality, regions,
                                  locks,  tasks,    work_of_a_gpu};
    return RUN_TESTS_EACH("gaps", tests, 2);
}
