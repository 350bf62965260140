/*
 * Hitches from events to rows: waits of the thread that runs the frames are followed to the task that it
 * waited for. Expectations are worked out by hand.
 */
#include "put.h"

#include "cpu.h"

enum { WAITS = 1, UPDATES, SLEEPS, STEP = 100, FRAMES = 4 };

#define COLUMNS "frame,duration,rank,timer,work,thread_id,count,own,usual,growth,cause"

struct made {
    struct captured *c;
    struct put_type *launched, *started, *wait, *waited;
    struct tk_uw_cpu cpu[2];
};

static void open(struct made *m)
{
    m->c = captured_new(7);
    m->launched =
        put_new(m->c, "TaskTrace.Launched",
                "Timestamp:q TaskId:q DebugName:w Tracked:b ThreadToExecuteOn:j TaskSize:q", TK_UW_AUX);
    m->started = put_new(m->c, "TaskTrace.Started", "Timestamp:q TaskId:q", 0);
    m->wait = put_new(m->c, "TaskTrace.WaitingStarted", "Timestamp:q Tasks:U", TK_UW_AUX);
    m->waited = put_new(m->c, "TaskTrace.WaitingFinished", "Timestamp:q", 0);
    tk_uw_cpu_spec(&m->c->uw, WAITS, "Tasks::Wait", "A.cpp", 1);
    tk_uw_cpu_spec(&m->c->uw, UPDATES, "Update", "A.cpp", 2);
    tk_uw_cpu_spec(&m->c->uw, SLEEPS, "Idle", "A.cpp", 3);
    for (unsigned i = 0; i < 2; i++)
        tk_uw_cpu_init(&m->cpu[i], &m->c->uw, &m->c->lanes[i], 3);
}

static void scope(struct made *m, unsigned lane, uint32_t timer, uint64_t begin, uint64_t end)
{
    tk_uw_cpu_begin(&m->cpu[lane], begin, timer);
    tk_uw_cpu_end(&m->cpu[lane], end);
}

/* Three frames of 100 and one of 300, in which thread 2 waits 150, 50 of it for task 8 and 90 for task 9,
 * which thread 3 runs; thread 3 has nothing to do for long, which is no reason. */
static void play(struct made *m, bool tasks)
{
    struct captured *c = m->c;
    uint64_t ids[] = {8, 9};
    for (uint64_t i = 0, at = 2000; i < FRAMES; i++) {
        uint64_t end = at + (i == 3 ? 3 * STEP : STEP);
        tk_uw_frame_begin(&c->uw, &c->lanes[0], at, 0);
        scope(m, 0, WAITS, at, at + (i == 3 ? 150 : 20));
        scope(m, 0, UPDATES, at + (i == 3 ? 150 : 50), at + (i == 3 ? 200 : 60));
        scope(m, 1, SLEEPS, at, end - 10);
        tk_uw_frame_end(&c->uw, &c->lanes[0], end, 0);
        at = end;
    }
    if (!tasks)
        return;
    put(c, 0, m->wait, Q(2301), &ids[0], sizeof ids[0]);
    put(c, 0, m->waited, Q(2351));
    put(c, 0, m->launched, Q(2352), Q(9), "Bake", Q(1), Q(0), Q(0));
    put(c, 0, m->wait, Q(2355), &ids[1], sizeof ids[1]);
    put(c, 1, m->started, Q(2356), Q(9));
    put(c, 0, m->waited, Q(2445));
}

static struct captured *make(bool tasks)
{
    struct made m;
    open(&m);
    play(&m, tasks);
    captured_send(m.c);
    captured_close(m.c);
    struct put_type *types[] = {m.launched, m.started, m.wait, m.waited};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        free(types[i]);
    return m.c;
}

START_TEST(follows_waits)
{
    struct captured *c = make(true);
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|task Bake on Thread 3\n"
                     "3|300|2|Update|own|2|1|50|10|40|\n");
    captured_free(c);
}
END_TEST

START_TEST(says_what_is_not_recorded)
{
    struct captured *c = make(false);
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS),
                     "3|300|1|Tasks::Wait|wait|2|1|150|20|130|not recorded\n"
                     "3|300|2|Update|own|2|1|50|10|40|\n");
    captured_free(c);
}
END_TEST

START_TEST(keeps_the_longest)
{
    struct captured *c = make(false);
    c->limit = "hitches=0";
    ck_assert_str_eq(captured_table(c, "hitches", COLUMNS), "");
    ck_assert_uint_eq(captured_faults(c, "hitches", "limit_reached"), 1);
    captured_free(c);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {follows_waits, says_what_is_not_recorded, keeps_the_longest};
    return RUN_TESTS("hitches", tests);
}
