/*
 * Events in the order of the file, where the array data of some goes on in later packets: those of other
 * threads in between stand behind them.
 */
#include "format/utrace/written.h"

#include <stdlib.h>

#define RECORDS TK_FACT_MASK(RECORD)

static struct written w;
static struct tk_uw_type tick, text;

static void begin(void)
{
    write_begin(&w);
    REGISTER(&w, tick_type, NOSYNC, "A", "Tick", FIELD("N", TK_UW_U32));
    REGISTER(&w, text_type, NOSYNC | AUX, "A", "Text", FIELD("N", TK_UW_U32), FIELD("Text", TK_UW_ANSI));
    tick = tick_type;
    text = text_type;
    tk_uw_lane_flush(&w.uw.news);
    tk_uw_lane_flush(&w.uw.important);
}

static void put_tick(unsigned tid, uint32_t n)
{
    tk_uw_begin(lane_of(&w, tid), &tick);
    tk_uw_u32(&lane_of(&w, tid)->pending, n);
    tk_uw_end(lane_of(&w, tid), &tick);
}

static void begin_text(unsigned tid, uint32_t n)
{
    tk_uw_begin(lane_of(&w, tid), &text);
    tk_uw_u32(&lane_of(&w, tid)->pending, n);
    tk_uw_blob(lane_of(&w, tid), &text, 1, "a", 1);
}

static void end_text(unsigned tid)
{
    tk_uw_blob(lane_of(&w, tid), &text, 1, "b", 1);
    tk_uw_end(lane_of(&w, tid), &text);
}

/* Numbered as they begin in the file. */
START_TEST(over_packets)
{
    begin();
    put_tick(2, 1);
    begin_text(2, 2);
    send_lane(&w, 2);
    put_tick(3, 3);
    send_lane(&w, 3);
    begin_text(4, 4);
    put_tick(4, 5); /* inside */
    send_lane(&w, 4);
    put_tick(3, 6);
    send_lane(&w, 3);
    end_text(2);
    put_tick(2, 7);
    send_lane(&w, 2);
    put_tick(3, 8);
    send_lane(&w, 3);
    end_text(4);
    put_tick(4, 9);
    send_lane(&w, 4);
    put_tick(3, 10);
    check_written(&w, RECORDS,
                  "t1 $Trace.NewTrace StartCycle=1000 CycleFrequency=1000000 Endian=21069 PointerSize=8 @0\n"
                  "t2 A.Tick N=1\nt2 A.Text N=2 Text=\"ab\"\nt3 A.Tick N=3\nt4 A.Text N=4 Text=\"ab\"\n"
                  "t4 A.Tick N=5\nt3 A.Tick N=6\nt2 A.Tick N=7\nt3 A.Tick N=8\nt4 A.Tick N=9\n"
                  "t3 A.Tick N=10\n");
}
END_TEST

/* One whose end never comes holds nothing back for ever, and nothing is lost. */
START_TEST(bounded)
{
    enum { TICKS = 200000 };
    struct opened o;
    begin();
    begin_text(2, 0);
    send_lane(&w, 2);
    for (uint32_t i = 1; i <= TICKS; i++)
        put_tick(3, i);
    send_lane(&w, 3);
    end_text(2);
    write_end(&w);
    open_written(&o, &w.bytes);
    const char *reported = tell(&o, RECORDS), *p = reported;
    uint32_t next = 1;
    for (p += strcspn(p, "\n") + 1; *p; p += strcspn(p, "\n") + 1) {
        if (strncmp(p, "t2 ", 3) == 0) {
            must(strncmp(p, "t2 A.Text N=0 Text=\"ab\"\n", 24) == 0);
            must(next > 1);
            continue;
        }
        must(strncmp(p, "t3 A.Tick N=", 12) == 0);
        must(strtoul(p + 12, NULL, 10) == next++);
    }
    ck_assert_uint_eq(next, TICKS + 1);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {over_packets, bounded};
    return RUN_TESTS("utrace, events in the order of the file", tests);
}
