/*
 * What bounds frames, from events to rows: a frame each for game thread, limit of the rate, GPU, render
 * thread, waiting and nobody. Expectations are worked out by hand; a cycle is a millisecond.
 */
#include "cpu.h"
#include "put.h"

enum { TICK = 1, WAITS, IDLES, DRAWS, RHI };

struct made {
    struct captured *c;
    struct put_type *types[16];
    size_t n;
    struct tk_uw_cpu cpu[3];
};

static struct put_type *type(struct made *m, const char *name, const char *fields, uint8_t flags)
{
    return m->types[m->n++] = put_new(m->c, name, fields, flags);
}

static void open(struct made *m)
{
    static const char *const names[] = {"GameThread", "RenderThread 1", "RHIThread", "Worker"};
    static const char *const timers[] = {"Tick", "Tasks::Wait", "FEngineLoop::Idle (frame limiter)", "Render",
                                         "Submit"};
    *m = (struct made){.c = captured_new(7)};
    for (uint32_t i = 0; i < 4; i++)
        tk_uw_thread_info(&m->c->uw, 2 + i, 1002 + i, 0, names[i]);
    for (uint32_t i = 0; i < 5; i++)
        tk_uw_cpu_spec(&m->c->uw, TICK + i, timers[i], "A.cpp", i);
    for (unsigned i = 0; i < 3; i++)
        tk_uw_cpu_init(&m->cpu[i], &m->c->uw, &m->c->lanes[i], 3);
}

static void scope(struct made *m, unsigned lane, uint32_t timer, uint64_t begin, uint64_t end)
{
    tk_uw_cpu_begin(&m->cpu[lane], begin, timer);
    tk_uw_cpu_end(&m->cpu[lane], end);
}

static struct captured *done(struct made *m)
{
    captured_send(m->c);
    captured_close(m->c);
    for (size_t i = 0; i < m->n; i++)
        free(m->types[i]);
    return m->c;
}

static void frames(struct made *m, unsigned n)
{
    for (uint64_t i = 0; i < n; i++) {
        tk_uw_frame_begin(&m->c->uw, &m->c->lanes[0], 2000 + 100 * i, 0);
        tk_uw_frame_end(&m->c->uw, &m->c->lanes[0], 2100 + 100 * i, 0);
    }
}

/* Frames of 100 from 2000 on. */
static void play(struct made *m)
{
    frames(m, 6);
    scope(m, 0, TICK, 2000, 2090);
    scope(m, 0, TICK, 2100, 2130);
    scope(m, 0, IDLES, 2130, 2190);
    scope(m, 0, TICK, 2200, 2220);
    scope(m, 0, WAITS, 2220, 2295);
    tk_uw_cpu_begin(&m->cpu[0], 2300, TICK); /* 20 of its own, around a wait */
    scope(m, 0, WAITS, 2320, 2390);
    tk_uw_cpu_end(&m->cpu[0], 2390);
    scope(m, 0, TICK, 2400, 2430);
    scope(m, 0, WAITS, 2430, 2480);
    scope(m, 0, TICK, 2500, 2510);
    scope(m, 1, DRAWS, 2300, 2380);
    scope(m, 2, RHI, 2095, 2105); /* five in each of two frames */
}

static void play_gpu(struct made *m)
{
    struct put_type *queue = type(m, "GpuProfiler.QueueSpec", "QueueId:i TypeString:w", TK_UW_AUX),
                    *work = type(m, "GpuProfiler.EventBeginWork",
                                 "QueueId:i GPUTimestampTOP:q CPUTimestamp:q", 0),
                    *ends = type(m, "GpuProfiler.EventEndWork", "QueueId:i GPUTimestampBOP:q", 0),
                    *wait = type(m, "GpuProfiler.EventWait", "QueueId:i StartTime:q EndTime:q", 0),
                    *signal = type(m, "GpuProfiler.SignalFence", "QueueId:i CPUTimestamp:q Value:q", 0),
                    *fence = type(m, "GpuProfiler.WaitFence",
                                  "QueueId:i CPUTimestamp:q QueueToWaitForId:i Value:q", 0);
    put(m->c, 0, queue, Q(0), "Graphics");
    put(m->c, 0, queue, Q(1), "Compute");
    put(m->c, 0, work, Q(0), Q(2200), Q(2190));
    put(m->c, 0, wait, Q(0), Q(2210), Q(2220));
    put(m->c, 0, ends, Q(0), Q(2300));
    put(m->c, 0, work, Q(1), Q(2205), Q(2190)); /* works less */
    put(m->c, 0, ends, Q(1), Q(2215));
    /* from 2215 on the one waits for what the other is done with at 2300; that is not kept waiting */
    put(m->c, 0, fence, Q(1), Q(2190), Q(0), Q(7));
    put(m->c, 0, signal, Q(1), Q(2191), Q(5));
    put(m->c, 0, fence, Q(0), Q(2192), Q(1), Q(5));
    put(m->c, 0, signal, Q(0), Q(2195), Q(7));
}

/* The game thread waits for task 9 that the render thread runs, which waits for a lock that a worker has. */
static void play_waits(struct made *m)
{
    const uint64_t task = 9;
    struct put_type *launched =
                        type(m, "TaskTrace.Launched",
                             "Timestamp:q TaskId:q DebugName:w Tracked:b ThreadToExecuteOn:j TaskSize:q",
                             TK_UW_AUX),
                    *started = type(m, "TaskTrace.Started", "Timestamp:q TaskId:q", 0),
                    *wait = type(m, "TaskTrace.WaitingStarted", "Timestamp:q Tasks:U", TK_UW_AUX),
                    *waited = type(m, "TaskTrace.WaitingFinished", "Timestamp:q", 0),
                    *ask = type(m, "Chaos.LockAcquireBegin", "Cycle:q bIsWrite:b", 0),
                    *got = type(m, "Chaos.LockAcquired", "Cycle:q", 0);
    put(m->c, 3, ask, Q(2310), Q(1));
    put(m->c, 3, got, Q(2311));
    put(m->c, 0, launched, Q(2315), Q(9), "Draw", Q(1), Q(0), Q(0));
    put(m->c, 0, wait, Q(2321), &task, sizeof task);
    put(m->c, 1, started, Q(2325), Q(9));
    put(m->c, 1, ask, Q(2330), Q(1));
    put(m->c, 1, got, Q(2360));
    put(m->c, 0, waited, Q(2389));
}

#define COLUMNS                                                                                              \
    "frame,dur,bound_by,game,game_wait,render,render_wait,rhi,rhi_wait,gpu,gpu_wait,thread,waited_in"

START_TEST(frames_are_bounded)
{
    struct made m;
    open(&m);
    play(&m);
    play_gpu(&m);
    play_waits(&m);
    struct captured *c = done(&m);
    ck_assert_str_eq(captured_table(c, "bound", COLUMNS),
                     "0|100|game|90|0|0|0|5|0|0|0|GameThread|\n"
                     "1|100|limiter|30|60|0|0|5|0|0|0||FEngineLoop::Idle (frame limiter)\n"
                     "2|100|gpu|20|75|0|0|0|0|90|10|GPU0-Graphics0 work|Tasks::Wait\n"
                     "3|100|render|20|70|80|0|0|0|0|0|RenderThread 1|Tasks::Wait\n"
                     "4|100|waiting|30|50|0|0|0|0|0|0||Tasks::Wait\n"
                     "5|100|unknown|10|0|0|0|0|0|0|0||\n");
    ck_assert_str_eq(captured_table(c, "bound_shares", "bound_by,frames,dur,game,gpu"),
                     "game|1|100r|90r|0r\n"
                     "render|1|100r|20r|0r\n"
                     "gpu|1|100r|20r|90r\n"
                     "limiter|1|100r|30r|0r\n"
                     "waiting|1|100r|30r|0r\n"
                     "unknown|1|100r|10r|0r\n");
    ck_assert_str_eq(captured_table(c, "bound", "chain"),
                     "\n\n"
                     "GPU0-Compute0 85.000 ms for fence 7 of GPU0-Graphics0\n"
                     "GameThread 68.000 ms for task Draw on RenderThread 1; RenderThread 1 30.000 ms for "
                     "lock physics scene held "
                     "by Worker\n"
                     "\n\n");
    c->select = (struct tk_selection){.has_frames = true, .first_frame = 2, .last_frame = 2};
    ck_assert_str_eq(captured_table(c, "bound", "frame,bound_by"), "2|gpu\n");
    captured_free(c);
}
END_TEST

/* Without tasks, locks and GPU: who waits says how to find out for whom. */
START_TEST(what_is_not_recorded)
{
    struct made m;
    open(&m);
    play(&m);
    struct captured *c = done(&m);
    ck_assert_str_eq(captured_table(c, "bound", "frame,bound_by,gpu,chain"),
                     "0|game||\n"
                     "1|limiter||\n"
                     "2|waiting||not recorded; trace-info --can says how\n"
                     "3|render||\n"
                     "4|waiting||not recorded; trace-info --can says how\n"
                     "5|unknown||\n");
    captured_free(c);
}
END_TEST

/* A thread that waits while it runs a task of its own choice, waits of no thread, ends without a begin, and
 * more events than there may be rows. */
START_TEST(odd_waits)
{
    const uint64_t task = 9;
    struct made m;
    open(&m);
    frames(&m, 1);
    scope(&m, 0, WAITS, 2000, 2090);
    struct put_type *wait = type(&m, "TaskTrace.WaitingStarted", "Timestamp:q Tasks:U", TK_UW_AUX),
                    *waited = type(&m, "TaskTrace.WaitingFinished", "Timestamp:q", 0);
    put(m.c, 0, waited, Q(1999));
    put(m.c, 0, wait, Q(2010), &task, sizeof task);
    put(m.c, 0, wait, Q(2020), &task, sizeof task);
    put(m.c, 0, waited, Q(2030));
    put(m.c, 0, waited, Q(2060));
    put(m.c, 0, waited, Q(2070));
    put(m.c, 0, wait, Q(2080), &task, sizeof task); /* never ends */
    struct captured *c = done(&m);
    ck_assert_str_eq(captured_table(c, "bound", "bound_by,chain"),
                     "waiting|GameThread 50.000 ms for task ?\n");
    c->limit = "rows=2";
    ck_assert_str_eq(captured_table(c, "bound", "bound_by"), "waiting\n");
    /* five events, and one of the waits by which timers are found that wait */
    ck_assert_uint_eq(captured_faults(c, "bound", "limit_reached"), 6);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {frames_are_bounded, what_is_not_recorded, odd_waits};
    return RUN_TESTS("bound", tests);
}
