/*
 * Timers that wait by recorded waits for tasks and locks, whatever they are called.
 * Expectations are worked out by hand.
 */
#include "cpu.h"
#include "put.h"

enum { GRIND = 1, STEP, PUMP, JOB, GUARD, OUTER, INNER, LOAD, IDLE };

struct made {
    struct captured *c;
    struct put_type *wait, *waited, *ask, *got, *gave;
    struct tk_uw_cpu cpu;
};

static void open(struct made *m)
{
    static const char *const names[] = {"Grind", "Step",  "Pump",    "Job", "Guard",
                                        "Outer", "Inner", "LoadMap", "Idle"};
    m->c = captured_new(7);
    m->wait = put_new(m->c, "TaskTrace.WaitingStarted", "Timestamp:q Tasks:U", TK_UW_AUX);
    m->waited = put_new(m->c, "TaskTrace.WaitingFinished", "Timestamp:q", 0);
    m->ask = put_new(m->c, "Chaos.LockAcquireBegin", "Cycle:q bIsWrite:b", 0);
    m->got = put_new(m->c, "Chaos.LockAcquired", "Cycle:q", 0);
    m->gave = put_new(m->c, "Chaos.LockAcquireEnd", "Cycle:q", 0);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        tk_uw_cpu_spec(&m->c->uw, i + 1, names[i], "A.cpp", i + 1);
    tk_uw_cpu_init(&m->cpu, &m->c->uw, &m->c->lanes[0], 3);
}

static void finish(struct made *m)
{
    struct put_type *types[] = {m->wait, m->waited, m->ask, m->got, m->gave};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    captured_free(m->c);
}

static void begin(struct made *m, uint64_t at, uint32_t timer)
{
    tk_uw_cpu_begin(&m->cpu, at, timer);
}

static void end(struct made *m, uint64_t at)
{
    tk_uw_cpu_end(&m->cpu, at);
}

static void waits(struct made *m, uint64_t from, uint64_t to)
{
    uint64_t task = 7;
    put(m->c, 0, m->wait, Q(from), &task, sizeof task);
    put(m->c, 0, m->waited, Q(to));
}

/* Grind waits 90 of 100, Step 10 of 100; Guard waits 70 of 100 for a lock; LoadMap waits all the time, but is
 * reported as loading by its name; Idle waits by its name. */
static void play_simple(struct made *m)
{
    begin(m, 2000, GRIND);
    waits(m, 2005, 2095);
    end(m, 2100);
    begin(m, 2100, STEP);
    waits(m, 2110, 2120);
    end(m, 2200);
    begin(m, 2200, GUARD);
    put(m->c, 0, m->ask, Q(2210), Q(1));
    put(m->c, 0, m->got, Q(2280));
    put(m->c, 0, m->gave, Q(2290));
    end(m, 2300);
    begin(m, 2300, LOAD);
    waits(m, 2300, 2400);
    end(m, 2400);
    begin(m, 2400, IDLE);
    end(m, 2500);
}

/* While Pump waits 100 it runs Job for 95, so that it waits 5 of its own 105. In the wait of Outer, 100 long,
 * Inner runs for 60 and waits 40 of them: Outer waits 40 of its own 90. */
static void play_inside(struct made *m)
{
    begin(m, 2500, PUMP);
    put(m->c, 0, m->wait, Q(2510), &(uint64_t){7}, sizeof(uint64_t));
    begin(m, 2512, JOB);
    end(m, 2607);
    put(m->c, 0, m->waited, Q(2610));
    end(m, 2700);
    begin(m, 2700, OUTER);
    put(m->c, 0, m->wait, Q(2700), &(uint64_t){7}, sizeof(uint64_t));
    begin(m, 2720, INNER);
    waits(m, 2730, 2770);
    end(m, 2780);
    put(m->c, 0, m->waited, Q(2800));
    end(m, 2850);
}

START_TEST(timers_wait)
{
    struct made m;
    open(&m);
    play_simple(&m);
    play_inside(&m);
    captured_send(m.c);
    captured_close(m.c);
    ck_assert_str_eq(captured_table(m.c, "timers", "timer,count,excl,working"),
                     "Grind|1|100|0\nStep|1|100|100\nPump|1|105|105\nJob|1|95|95\nGuard|1|100|0\n"
                     "Outer|1|90|90\nInner|1|60|0\nLoadMap|1|100|100\nIdle|1|100|0\n");
    ck_assert_str_eq(captured_table(m.c, "threads", "thread_id,busy,working,waiting"), "2|850|490|360\n");
    finish(&m);
}
END_TEST

/* A timer is judged by all of its calls: it waits in two of three. */
START_TEST(calls_together)
{
    struct made m;
    open(&m);
    for (uint64_t at = 2000; at < 2300; at += 100) {
        begin(&m, at, STEP);
        if (at > 2000)
            waits(&m, at + 10, at + 90);
        end(&m, at + 100);
    }
    captured_send(m.c);
    captured_close(m.c);
    ck_assert_str_eq(captured_table(m.c, "timers", "timer,count,excl,working"), "Step|3|300|0\n");
    finish(&m);
}
END_TEST

/* Waits that never end, or end without a begin, tell nothing. */
START_TEST(broken_waits)
{
    struct made m;
    open(&m);
    put(m.c, 0, m.waited, Q(1990));
    begin(&m, 2000, GRIND);
    put(m.c, 0, m.wait, Q(2010), &(uint64_t){7}, sizeof(uint64_t));
    end(&m, 2100);
    put(m.c, 0, m.got, Q(2110));
    begin(&m, 2200, STEP);
    waits(&m, 2200, 2300);
    end(&m, 2300);
    captured_send(m.c);
    captured_close(m.c);
    ck_assert_str_eq(captured_table(m.c, "timers", "timer,count,excl,working"),
                     "Grind|1|100|100\nStep|1|100|0\n");
    finish(&m);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {timers_wait, calls_together, broken_waits};
    return RUN_TESTS("waits", tests);
}
