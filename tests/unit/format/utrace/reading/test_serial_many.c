/*
 * The order of serial numbers in captures of many events: lanes that lie far apart, many lanes, packets that
 * are lost (wire 4).
 */
#include "format/utrace/serial_written.h"

/* Protocol 1 wraps often: several wraps in one file. */
START_TEST(many_wraps)
{
    begin_at(1, 2);
    for (uint32_t i = 0; i < 35000; i++) { /* five times 65536 */
        put(2 + i % 3, 5 + 10 * i, i);
        expect(i);
    }
    check_numbers();
    check_serials(9 * 34999, 0);
}
END_TEST

/* More events than a batch takes, and runs without a number that are longer than one. */
START_TEST(many_events)
{
    begin();
    for (uint32_t i = 0; i < 10000; i++) {
        put_note(2, i);
        expect(i | UNNUMBERED);
    }
    for (uint32_t i = 0; i < 10000; i++) {
        put(2 + i / 100 % 3, i, i);
        expect(i);
    }
    check_numbers();
    ck_assert_uint_gt(o.batches, 4);
    ck_assert_uint_eq(all_faults(&o), 0);
}
END_TEST

/* An event that fills a packet, so that lanes get far from each other in the file. */
static void put_filler_of(const struct tk_uw_type *type, unsigned tid, uint32_t serial, uint32_t n)
{
    static uint8_t bytes[300];
    struct tk_uw_lane *lane = lane_of(&w, tid);
    tk_uw_begin_serial(lane, type, serial);
    tk_uw_u32(&lane->pending, n);
    tk_uw_value(lane, type, 1, bytes, sizeof bytes);
    tk_uw_end(lane, type);
    send_lane(&w, tid);
}

static void put_filler(unsigned tid, uint32_t serial, uint32_t n)
{
    put_filler_of(&text, tid, serial, n);
}

/* One number stands in the last packet of the file, far behind its neighbours: found, and no gap. */
START_TEST(far_apart)
{
    enum { N = 20000, MISSING = 5000 };
    begin();
    for (uint32_t i = 0; i < N + 2; i++) {
        expect(i);
        if (i != MISSING && i < N)
            put_filler(2, i, i);
    }
    put(3, MISSING, MISSING);
    put(3, N, N);
    put(2, N + 1, N + 1);
    check_numbers();
    ck_assert_uint_eq(all_faults(&o), 0);
}
END_TEST

/* Nothing has a number for a long while: the count begins with the first that has one, and no gap before it.
 */
START_TEST(far_beginning)
{
    enum { N = 9000, FIRST = 500 };
    static const unsigned threads[] = {3, 2, 2, 3, 4, 3};
    struct tk_uw_type quiet = {
        .logger = "A", .event = "Quiet", TK_UW_FIELDS(n_fields), .flags = TK_UW_AUX | TK_UW_NOSYNC};
    begin();
    tk_uw_register(&w.uw, &quiet);
    for (uint32_t i = 0; i < N; i++) {
        put_filler_of(&quiet, 2, 0, i);
        expect(i | UNNUMBERED);
    }
    for (uint32_t i = 0; i < 6; i++) {
        put(threads[i], FIRST + i, i);
        expect(i);
    }
    check_numbers();
    ck_assert_uint_eq(all_faults(&o), 0);
}
END_TEST

/* A lane that begins far behind in the file, where the number has wrapped to nearly the same value. */
START_TEST(far_wrap)
{
    enum { N = 24000 };
    begin();
    for (uint32_t i = 0; i < N; i++) { /* steps of 700 make a whole wrap of 24 bits */
        put_filler(2, i * 700, i);
        expect(i);
    }
    put(3, (N * 700 + 1) & 0xFFFFFF, N);
    expect(N);
    check_numbers();
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_LATE), 0);
}
END_TEST

/* 16 000 threads, an event each, the last thread's first. */
START_TEST(many_threads)
{
    enum { N = 16000 };
    begin();
    for (uint32_t i = 0; i < N; i++) {
        struct tk_uw_lane lane;
        tk_uw_thread(&w.uw, &lane, (uint16_t)(2 + i));
        tk_uw_begin_serial(&lane, &tick, N - 1 - i);
        tk_uw_u32(&lane.pending, N - 1 - i);
        tk_uw_end(&lane, &tick);
        tk_uw_lane_flush(&lane);
        tk_uw_lane_release(&lane);
        expect(i);
    }
    check_numbers();
    ck_assert_uint_eq(all_faults(&o), 0);
}
END_TEST

/* A packet that cannot be unpacked leaves a gap of as many numbers as it held. */
START_TEST(lost_packet)
{
    begin();
    put(2, 0, 0);
    send_lane(&w, 2);
    size_t at = w.bytes.size;
    for (uint32_t i = 1; i < 101; i++)
        put(2, i, i);
    send_lane(&w, 2);
    put(2, 101, 101);
    put(3, 102, 102);
    ck_assert(w.bytes.data[at + 3] & 0x80);
    memset(w.bytes.data + at + 6, 0xFF, 30);
    expect(0);
    expect(101);
    expect(102);
    check_numbers();
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_GAP), 100);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DAMAGED), 1);
}
END_TEST

/* What is requested is the same for several jobs. */
START_TEST(jobs)
{
    struct opened one, four;
    begin();
    for (uint32_t i = 0; i < 9000; i++)
        put(2 + i * i % 5, i, i);
    write_end(&w);
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        prepare(&one, w.bytes.data, w.bytes.size, 1);
        prepare(&four, w.bytes.data, w.bytes.size, 4);
        open_prepared(&one);
        open_prepared(&four);
        ck_assert(strcmp(tell_in_order(&one, RECORDS, order), tell_in_order(&four, RECORDS, order)) == 0);
        ck_assert_uint_eq(one.batches, four.batches);
        close_opened(&one);
        close_opened(&four);
    }
}
END_TEST

/* Numbers of 16 bits: one thread writes 36000 events within a few hundred KB, and another goes on from there.
 * Half a wrap before, its first number would be taken for one behind them. */
START_TEST(many_of_16_bits)
{
    enum { MANY = 36000, PACKET = 100, REST = 50, FIRST = 3 }; /* the first numbers are of declarations */
    begin_at(1, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        put(2, FIRST + i, i);
        expect(i);
        if (i % PACKET == PACKET - 1)
            send_lane(&w, 2);
    }
    for (uint32_t i = 0; i < REST; i++) {
        put(3, FIRST + MANY + i, MANY + i);
        expect(MANY + i);
    }
    send_lane(&w, 3);
    check_numbers();
    check_serials(0, 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {many_of_16_bits, many_wraps,   many_events, far_apart, far_beginning,
                                  far_wrap,        many_threads, lost_packet, jobs};
    return RUN_TESTS_AROUND("utrace serial order of many", tests, NULL, serial_end);
}
