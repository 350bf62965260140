/*
 * The order of serial numbers: wraps, gaps, late and doubled numbers, events inside others (wire 4).
 */
#include "format/utrace/serial_written.h"

/* Events numbered from 0, in turn on three threads, with serials from `first` on. */
static void check_run(uint8_t protocol, uint32_t first, uint32_t count)
{
    begin_at(protocol, first - 3);
    for (uint32_t i = 0; i < count; i++) {
        put(2 + i * i % 3, first + i, i % 30000);
        expect(i % 30000);
    }
    check_numbers();
    check_serials(0, 0);
}

START_TEST(in_turn)
{
    check_run(7, 0, 100);
    check_run(7, 123456, 100);
    check_run(3, 50, 100);
    check_run(4, 50, 100);
    check_run(5, 50, 100);
}
END_TEST

/* 24 bits wrap, in protocol 1 16 bits. */
START_TEST(wraps)
{
    check_run(7, 0xFFFFFF - 30, 100);
    check_run(2, 0xFFFFFF - 30, 100);
    check_run(1, 0xFFFF - 30, 100);
}
END_TEST

/* Serial numbers counted on past wraps are reported with the facts, in both orders. */
START_TEST(counted_on)
{
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        begin();
        put(2, 0xFFFFFE, 1);
        open_it();
        tell_in_order(&o, RECORDS, order);
        uint64_t first = o.last_seq;
        begin();
        put(2, 0xFFFFFE, 1);
        put(2, 0xFFFFFF, 2);
        put(2, 0, 3);
        put(2, 1, 4);
        open_it();
        tell_in_order(&o, RECORDS, order);
        ck_assert_uint_eq(o.last_seq, first + 3);
    }
}
END_TEST

/* In file order numbers also go back. */
START_TEST(counted_back)
{
    uint64_t seq[2];
    for (uint32_t i = 0; i < 2; i++) {
        begin();
        put(2, 1, 1);
        if (i)
            put(3, 0xFFFFFE, 0);
        open_it();
        tell(&o, RECORDS);
        seq[i] = o.last_seq;
    }
    ck_assert_uint_eq(seq[1], seq[0] - 3);
}
END_TEST

/* Events on threads, in the order in which they are written; those without a number have tid + NOTE. */
#define NOTE 100

static const struct {
    const char *what;
    struct {
        unsigned tid;
        uint32_t serial, n;
    } events[10];
    const char *order;
    uint64_t gap, late;
} orders[] = {
    {"nothing is missing before the first number and behind the last; in between a gap is told with its "
     "length",
     {{2, 1000, 1}, {3, 1001, 2}, {3, 1010, 3}, {2, 1011, 4}, {2, 1013, 5}},
     "1 2 3 4 5",
     9,
     0},
    {"a gap over the wrap", {{2, 0xFFFFFE, 1}, {3, 2, 2}}, "1 2", 3, 0},
    {"what comes behind its number is told at once, and the lane goes on",
     {{2, 5, 1}, {2, 6, 2}, {2, 3, 3}, {2, 7, 4}, {3, 8, 5}},
     "1 2 3 4 5",
     0,
     1},
    {"a number twice", {{2, 5, 1}, {2, 6, 2}, {3, 6, 3}, {3, 7, 4}}, "1 2 3 4", 0, 1},
    {"without a number: right behind the one before it on its thread, and at the beginning first",
     {{2 + NOTE, 0, 10},
      {2, 1, 1},
      {2 + NOTE, 0, 11},
      {2 + NOTE, 0, 12},
      {2, 3, 3},
      {3 + NOTE, 0, 20},
      {3, 2, 2},
      {3 + NOTE, 0, 21},
      {3, 4, 4},
      {4 + NOTE, 0, 30}},
     "n10 n20 n30 1 n11 n12 2 n21 3 4",
     0,
     0},
};

START_TEST(order_of_few)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        begin();
        what = orders[i].what;
        for (size_t k = 0; k < 10 && orders[i].events[k].tid; k++) {
            if (orders[i].events[k].tid > NOTE)
                put_note(orders[i].events[k].tid - NOTE, orders[i].events[k].n);
            else
                put(orders[i].events[k].tid, orders[i].events[k].serial, orders[i].events[k].n);
        }
        check_order(orders[i].order, orders[i].gap, orders[i].late);
    }
}
END_TEST

/* Those that nobody requested leave no gap. */
START_TEST(unrequested)
{
    static const char *const patterns[] = {"A.Text"};
    struct tk_request request = {
        .facts = RECORDS, .order = TK_ORDER_SERIAL, .events = patterns, .n_events = 1};
    begin();
    for (uint32_t i = 0; i < 30; i++) {
        struct tk_uw_lane *lane = lane_of(&w, 2 + i % 2);
        if (i % 3) {
            put(2 + i % 2, i, i);
            continue;
        }
        tk_uw_begin_serial(lane, &text, i);
        tk_uw_u32(&lane->pending, i);
        put_note(2 + i % 2, i); /* nested: the value comes in two packets */
        tk_uw_value(lane, &text, 1, "abc", 3);
        tk_uw_end(lane, &text);
    }
    open_it();
    check_text(
        say_requested(&o, &request),
        "t2 #0 A.Text N=0 Text=\"abc\"\nt3 #3 A.Text N=3 Text=\"abc\"\nt2 #6 A.Text N=6 Text=\"abc\"\n"
        "t3 #9 A.Text N=9 Text=\"abc\"\nt2 #12 A.Text N=12 Text=\"abc\"\nt3 #15 A.Text N=15 Text=\"abc\"\n"
        "t2 #18 A.Text N=18 Text=\"abc\"\nt3 #21 A.Text N=21 Text=\"abc\"\nt2 #24 A.Text N=24 Text=\"abc\"\n"
        "t3 #27 A.Text N=27 Text=\"abc\"\n");
    ck_assert_uint_eq(all_faults(&o), 0);
}
END_TEST

/* Synchronised events inside others, also unwanted outer ones; the inner one's number is not always the
 * higher one. */
START_TEST(nested)
{
    for (int requested = 0; requested < 2; requested++) {
        static const char *const patterns[] = {"A.Tick"};
        struct tk_request request = {
            .facts = RECORDS, .order = TK_ORDER_SERIAL, .events = patterns, .n_events = requested ? 0 : 1};
        begin();
        struct tk_uw_lane *lane = lane_of(&w, 2);
        put(3, 12, 12);
        tk_uw_begin_serial(lane, &text, 10);
        tk_uw_u32(&lane->pending, 10);
        tk_uw_blob(lane, &text, 1, "a", 1);
        put(2, 11, 11);
        tk_uw_blob(lane, &text, 1, "b", 1);
        put(2, 13, 13);
        tk_uw_end(lane, &text);
        put(2, 14, 14);
        put(3, 15, 15);
        open_it();
        struct lines lines = {0};
        add_line(&lines,
                 "%st2 #11 A.Tick N=11\nt3 #12 A.Tick N=12\nt2 #13 A.Tick N=13\nt2 #14 A.Tick N=14\nt3 #15 "
                 "A.Tick N=15\n",
                 requested ? "t2 #10 A.Text N=10 Text=\"ab\"\n" : "");
        check_text(say_requested(&o, &request), lines.text);
        ck_assert_uint_eq(all_faults(&o), 0);
        release_lines(&lines);
    }
}
END_TEST

/* Protocols 1 and 2: declarations have numbers too, here on another stream. */
START_TEST(declarations_count)
{
    for (uint8_t protocol = 1; protocol <= 2; protocol++) {
        begin_at(protocol, 0);
        ck_assert_uint_eq(w.uw.stream.serial, 3);
        put(2, 3, 1);
        put(3, 5, 3);
        w.uw.stream.serial = 4;
        struct tk_uw_type more = tick;
        more.event = "Tock";
        tk_uw_register(&w.uw, &more);
        put(3, 6, 4);
        check_order("1 3 4", 0, 0);
    }
}
END_TEST

/* The numbers on tid 0x3FFE mean nothing. */
START_TEST(connection)
{
    begin();
    struct tk_uw_lane early;
    tk_uw_thread(&w.uw, &early, TK_UW_TID_PSEUDO_IMPORTANT);
    for (uint32_t i = 0; i < 3; i++) {
        tk_uw_begin_serial(&early, &tick, 0);
        tk_uw_u32(&early.pending, 90 + i);
        tk_uw_end(&early, &tick);
    }
    tk_uw_lane_flush(&early);
    tk_uw_lane_release(&early);
    put(2, 5, 1);
    put(3, 6, 2);
    check_order("n90 n91 n92 1 2", 0, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {in_turn,     wraps,  counted_on,         counted_back, order_of_few,
                                  unrequested, nested, declarations_count, connection};
    return RUN_TESTS_AROUND("utrace serial order", tests, NULL, serial_end);
}
