/*
 * Critical paths of a .utrace, from events of tasks to rows. Expectations are worked out by hand.
 */
#include "cpu.h"
#include "put.h"

enum { TICK = 1, WAITS, DRAWS, SUBMITS };

struct made {
    struct captured *c;
    struct put_type *launched, *started, *finished, *wait, *waited;
    struct tk_uw_cpu cpu[3];
};

static void open(struct made *m)
{
    static const char *const names[] = {"GameThread", "RenderThread 1", "RHIThread"};
    static const char *const timers[] = {"Tick", "Tasks::Wait", "Render", "Submit"};
    *m = (struct made){.c = captured_new(7)};
    for (uint32_t i = 0; i < 3; i++)
        tk_uw_thread_info(&m->c->uw, 2 + i, 1002 + i, 0, names[i]);
    for (uint32_t i = 0; i < 4; i++)
        tk_uw_cpu_spec(&m->c->uw, TICK + i, timers[i], "A.cpp", i);
    for (unsigned i = 0; i < 3; i++)
        tk_uw_cpu_init(&m->cpu[i], &m->c->uw, &m->c->lanes[i], 3);
    m->launched =
        put_new(m->c, "TaskTrace.Launched",
                "Timestamp:q TaskId:q DebugName:w Tracked:b ThreadToExecuteOn:j TaskSize:q", TK_UW_AUX);
    m->started = put_new(m->c, "TaskTrace.Started", "Timestamp:q TaskId:q", 0);
    m->finished = put_new(m->c, "TaskTrace.Finished", "Timestamp:q TaskId:q", 0);
    m->wait = put_new(m->c, "TaskTrace.WaitingStarted", "Timestamp:q Tasks:U", TK_UW_AUX);
    m->waited = put_new(m->c, "TaskTrace.WaitingFinished", "Timestamp:q", 0);
}

static void scope(struct made *m, unsigned lane, uint32_t timer, uint64_t begin, uint64_t end)
{
    tk_uw_cpu_begin(&m->cpu[lane], begin, timer);
    tk_uw_cpu_end(&m->cpu[lane], end);
}

static void task(struct made *m, unsigned lane, uint64_t id, uint64_t launched, uint64_t started,
                 uint64_t finished)
{
    put(m->c, 0, m->launched, Q(launched), Q(id), "Job", Q(1), Q(0), Q(0));
    put(m->c, lane, m->started, Q(started), Q(id));
    put(m->c, lane, m->finished, Q(finished), Q(id));
}

static const char *path_of(struct made *m)
{
    struct put_type *types[] = {m->launched, m->started, m->finished, m->wait, m->waited};
    captured_send(m->c);
    captured_close(m->c);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    return captured_table(m->c, "critical_path", "frame,rank,thread,timer,from,to,dur,via");
}

static void frame(struct made *m, uint64_t begin, uint64_t end)
{
    tk_uw_frame_begin(&m->c->uw, &m->c->lanes[0], begin, 0);
    tk_uw_frame_end(&m->c->uw, &m->c->lanes[0], end, 0);
}

/* Of two tasks the one that finished last is the cause; its thread had nothing to do until it was launched.
 */
START_TEST(last_of_two_tasks)
{
    static const uint64_t both[] = {10, 9};
    struct made m;
    open(&m);
    frame(&m, 2000, 2100);
    scope(&m, 0, TICK, 2000, 2030);
    task(&m, 1, 9, 2005, 2010, 2040);
    task(&m, 2, 10, 2025, 2028, 2075);
    scope(&m, 1, DRAWS, 2010, 2040);
    scope(&m, 2, SUBMITS, 2028, 2075);
    put(m.c, 0, m.wait, Q(2030), both, sizeof both);
    scope(&m, 0, WAITS, 2030, 2080);
    put(m.c, 0, m.waited, Q(2080));
    scope(&m, 0, TICK, 2080, 2100);
    ck_assert_str_eq(path_of(&m), "0|2|GameThread|Tick|2000|2025|25|task\n"
                                  "0|5|RHIThread|(waiting to run)|2025|2028|3|task\n"
                                  "0|1|RHIThread|Submit|2028|2075|47|task\n"
                                  "0|4|GameThread|(waiting to run)|2075|2080|5|\n"
                                  "0|3|GameThread|Tick|2080|2100|20|\n");
    captured_free(m.c);
}
END_TEST

/* A thread that was busy when a task was launched is itself what the frame depended on. */
START_TEST(busy_thread)
{
    static const uint64_t one[] = {11};
    struct made m;
    open(&m);
    frame(&m, 2100, 2200);
    scope(&m, 0, TICK, 2100, 2110);
    scope(&m, 1, DRAWS, 2095, 2149);
    task(&m, 1, 11, 2102, 2150, 2185);
    put(m.c, 0, m.wait, Q(2110), one, sizeof one);
    put(m.c, 0, m.waited, Q(2190));
    scope(&m, 1, DRAWS, 2150, 2185);
    ck_assert_str_eq(path_of(&m), "0|1|RenderThread 1|Render|2100|2149|49|task\n"
                                  "0|5|RenderThread 1|(outside every scope)|2149|2150|1|task\n"
                                  "0|2|RenderThread 1|Render|2150|2185|35|task\n"
                                  "0|4|GameThread|(waiting to run)|2185|2190|5|\n"
                                  "0|3|GameThread|(outside every scope)|2190|2200|10|\n");
    captured_free(m.c);
}
END_TEST

/* A timer that waits, and nothing recorded of it; a wait for a task that nobody reports. */
START_TEST(not_recorded)
{
    static const uint64_t one[] = {12};
    struct made m;
    open(&m);
    frame(&m, 2000, 2100);
    frame(&m, 2100, 2200);
    scope(&m, 0, TICK, 2000, 2020);
    scope(&m, 0, WAITS, 2020, 2095);
    put(m.c, 0, m.wait, Q(2120), one, sizeof one);
    put(m.c, 0, m.waited, Q(2180));
    ck_assert_str_eq(path_of(&m), "0|2|GameThread|Tick|2000|2020|20|\n"
                                  "0|1|GameThread|Tasks::Wait|2020|2095|75|not recorded\n"
                                  "0|3|GameThread|(outside every scope)|2095|2100|5|\n"
                                  "1|2|GameThread|(outside every scope)|2100|2120|20|\n"
                                  "1|1|GameThread|(outside every scope)|2120|2180|60|not recorded\n"
                                  "1|3|GameThread|(outside every scope)|2180|2200|20|\n");
    captured_free(m.c);
}
END_TEST

/* Threads that seem to let each other go on at one time end no reading; lengths add up all the same. */
START_TEST(circle)
{
    static const uint64_t mine[] = {20}, theirs[] = {21};
    struct made m;
    open(&m);
    frame(&m, 2000, 2100);
    task(&m, 1, 20, 2000, 2001, 2050);
    put(m.c, 0, m.started, Q(2001), Q(21));
    put(m.c, 0, m.finished, Q(2050), Q(21));
    put(m.c, 0, m.wait, Q(2010), mine, sizeof mine);
    put(m.c, 0, m.waited, Q(2050));
    put(m.c, 1, m.wait, Q(2010), theirs, sizeof theirs);
    put(m.c, 1, m.waited, Q(2050));
    /* after 66 steps at one time, an even number, the game thread has what is left */
    ck_assert_str_eq(path_of(&m), "0|1|GameThread|(outside every scope)|2000|2050|50|task\n"
                                  "0|2|GameThread|(outside every scope)|2050|2100|50|\n");
    captured_free(m.c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {last_of_two_tasks, busy_thread, not_recorded, circle};
    return RUN_TESTS("critical_path", tests);
}
