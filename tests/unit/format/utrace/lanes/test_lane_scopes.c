/*
 * Scope records on lanes of protocols 5 to 7: stamps, and the events they belong to (wire 5.4).
 */
#include "format/utrace/lane_types.h"

/* Protocol 7: stamps since the start, or the clock's own value, 1000 at the start. */
START_TEST(scopes_7)
{
    tk_uw_enter_at(&f.lane, 10);
    put_tick(&work, 1);
    tk_uw_enter_absolute(&f.lane, 1020);
    put_tick(&work, 2);
    tk_uw_leave_absolute(&f.lane, 1030);
    tk_uw_leave_at(&f.lane, UINT64_C(0xFFFFFFFFFFFFFF));
    tk_uw_enter_absolute(&f.lane, 990); /* before the start */
    put_tick(&work, 3);
    tk_uw_leave_at(&f.lane, 1);
    fed_check(&f, "enter Cpu.Work 10\nCpu.Work N=1\nenter Cpu.Work 20\nCpu.Work N=2\nleave 30\nleave "
                  "72057594037927935\n"
                  "enter Cpu.Work -10\nCpu.Work N=3\nleave 1\n");
}
END_TEST

/* Protocols 5 and 6: enters and leaves chain, from BaseTimestamp on (wire 5.4). */
START_TEST(scopes_chain)
{
    for (uint8_t protocol = 5; protocol <= 6; protocol++) {
        open_lane(protocol);
        tk_uw_begin(&f.lane, &timing);
        tk_uw_u64(&f.lane.pending, 100);
        tk_uw_end(&f.lane, &timing);
        FED_RAW(&f, "\x10\x32\0\0\0\0\0\0");
        put_tick(&work, 1);
        FED_RAW(&f, "\x18\x19\0\0\0\0\0\0");
        FED_RAW(&f, "\x10\x05\0\0\0\0\0\0");
        put_tick(&work, 2);
        FED_RAW(&f, "\x18\x01\0\0\0\0\0\0");
        fed_check(&f, "$Trace.ThreadTiming BaseTimestamp=100\nenter Cpu.Work 150\nCpu.Work N=1\nleave 175\n"
                      "enter Cpu.Work 180\nCpu.Work N=2\nleave 181\n");
        ck_assert_uint_eq(noted(TK_HEALTH_TIME_UNRELIABLE), 0);
    }
}
END_TEST

/* Without ThreadTiming times are off: reported once a lane, and put right by the next ThreadTiming. */
START_TEST(scopes_without_timing)
{
    open_lane(5);
    FED_RAW(&f, "\x10\x32\0\0\0\0\0\0");
    put_tick(&work, 1);
    FED_RAW(&f, "\x18\x19\0\0\0\0\0\0");
    tk_uw_begin(&f.lane, &timing);
    tk_uw_u64(&f.lane.pending, 1000);
    tk_uw_end(&f.lane, &timing);
    FED_RAW(&f, "\x10\x05\0\0\0\0\0\0");
    put_tick(&work, 2);
    check_text(fed_whole(&f),
               "enter Cpu.Work 50\nCpu.Work N=1\nleave 75\n$Trace.ThreadTiming BaseTimestamp=1000\n"
               "enter Cpu.Work 1005\nCpu.Work N=2\n");
    ck_assert_uint_eq(noted(TK_HEALTH_TIME_UNRELIABLE), 1);
}
END_TEST

/* Wire 5.4: what a record does to the stack. */
START_TEST(scope_rules)
{
    tk_uw_leave_at(&f.lane, 1); /* empty stack */
    tk_uw_enter_at(&f.lane, 2); /* no event before the next record: it leaves with nothing */
    tk_uw_leave_at(&f.lane, 3);
    tk_uw_enter(&f.lane); /* untimed: opens nothing for the CPU */
    put_tick(&work, 1);
    tk_uw_leave(&f.lane);
    tk_uw_enter_at(&f.lane, 4); /* another logger */
    put_tick(&tick, 2);
    tk_uw_leave_at(&f.lane, 5);
    tk_uw_enter_at(&f.lane, 6);
    tk_uw_enter_at(&f.lane, 7); /* only the top is bound */
    put_tick(&work, 3);
    put_tick(&work, 4); /* the top has its event */
    tk_uw_leave_at(&f.lane, 8);
    put_tick(&work, 5); /* now the outer one is the top */
    tk_uw_leave_at(&f.lane, 9);
    tk_uw_enter_at(&f.lane, 10);
    put_tick(&work, 6);
    tk_uw_leave(&f.lane); /* a leave without a time */
    fed_check(&f, "Cpu.Work N=1\nDemo.Tick N=2\nenter Cpu.Work 7\nCpu.Work N=3\nCpu.Work N=4\nleave 8\n"
                  "enter Cpu.Work 6\nCpu.Work N=5\nleave 9\nenter Cpu.Work 10\nCpu.Work N=6\n");
}
END_TEST

/* Scope records between the blobs of an event; binding is at the header. */
START_TEST(scopes_and_blobs)
{
    tk_uw_enter_at(&f.lane, 10);
    begin_text(&talk, 1);
    tk_uw_blob(&f.lane, &talk, 1, "a", 1);
    tk_uw_enter_at(&f.lane, 20);
    put_tick(&work, 2);
    tk_uw_leave_at(&f.lane, 30);
    tk_uw_blob(&f.lane, &talk, 1, "b", 1);
    tk_uw_end(&f.lane, &talk);
    tk_uw_leave_at(&f.lane, 40);
    fed_check(&f, "enter Cpu.Talk 10\nenter Cpu.Work 20\nleave 30\nCpu.Talk A=1 Text=\"ab\" "
                  "Data=[]\nCpu.Work N=2\nleave 40\n");
}
END_TEST

/* Events that nobody wants bind scopes too. */
START_TEST(scopes_of_unwanted)
{
    f.decoder.n_want = sizeof types / sizeof *types;
    tk_uw_enter_at(&f.lane, 10);
    put_tick(&work, 1);
    tk_uw_enter_at(&f.lane, 20);
    put_text(&talk, 2, "x");
    tk_uw_leave_at(&f.lane, 30);
    tk_uw_leave_at(&f.lane, 40);
    fed_check(&f, "enter Cpu.Work 10\nenter Cpu.Talk 20\nleave 30\nleave 40\n");
}
END_TEST

/* Deeper than the limit: counted, so that the leaves fit. */
START_TEST(deep_scopes)
{
    f.limits.open_scopes = 2;
    for (unsigned i = 1; i <= 4; i++) {
        tk_uw_enter_at(&f.lane, i);
        put_tick(&work, i);
    }
    for (unsigned i = 1; i <= 4; i++)
        tk_uw_leave_at(&f.lane, 10 + i);
    check_text(fed_whole(&f),
               "enter Cpu.Work 1\nCpu.Work N=1\nenter Cpu.Work 2\nCpu.Work N=2\nCpu.Work N=3\nCpu.Work N=4\n"
               "leave 13\nleave 14\n");
}
END_TEST

/* Nobody requests scopes: records are passed over, stamps or not. */
START_TEST(scopes_unrequested)
{
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        open_lane(protocol);
        f.decoder.marks = false;
        tk_uw_enter_at(&f.lane, 10);
        put_tick(&work, 1);
        tk_uw_enter(&f.lane);
        tk_uw_leave(&f.lane);
        tk_uw_leave_at(&f.lane, 40);
        fed_check(&f, "Cpu.Work N=1\n");
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {scopes_7,    scopes_chain,      scopes_without_timing,
                                  scope_rules, scopes_and_blobs,  scopes_of_unwanted,
                                  deep_scopes, scopes_unrequested};
    return RUN_TESTS_AROUND("utrace lane, scopes", tests, lane_begin, lane_end);
}
