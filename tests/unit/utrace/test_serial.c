/*
 * The order of serial numbers: wraps, gaps, late and doubled numbers, lanes that lie far apart, many lanes
 * (wire 4).
 */
#include "written.h"

#define RECORDS TK_FACT_MASK(RECORD)

static const struct tk_uw_field n_fields[] = {{.name = "N", .type = TK_UW_U32},
                                              {.name = "Text", .type = TK_UW_ANSI}};
static struct tk_uw_type tick, note, text; /* synchronised; not; with array data */

/* The first serial is taken by declarations in protocols 1 and 2, which need three. */
static void begin_at(struct written *w, uint8_t protocol, uint32_t serial)
{
    write_with(w, (struct tk_uw_options){.form = TK_UW_2CRT,
                                         .transport = protocol < 4 ? 3 : 4,
                                         .protocol = protocol,
                                         .frequency = 1000});
    w->uw.stream.serial = serial;
    tick = (struct tk_uw_type){.logger = "A", .event = "Tick", .fields = n_fields, .field_count = 1};
    note = (struct tk_uw_type){
        .logger = "A", .event = "Note", .fields = n_fields, .field_count = 1, .flags = TK_UW_NOSYNC};
    text = (struct tk_uw_type){.logger = "A", .event = "Text", TK_UW_FIELDS(n_fields), .flags = TK_UW_AUX};
    tk_uw_register(&w->uw, &tick);
    tk_uw_register(&w->uw, &note);
    tk_uw_register(&w->uw, &text);
}

static void begin(struct written *w)
{
    begin_at(w, 7, 0);
}

static void put(struct written *w, unsigned tid, uint32_t serial, uint32_t n)
{
    struct tk_uw_lane *lane = lane_of(w, tid);
    tk_uw_begin_serial(lane, &tick, serial);
    tk_uw_u32(&lane->pending, n);
    tk_uw_end(lane, &tick);
}

static void put_note(struct written *w, unsigned tid, uint32_t n)
{
    struct tk_uw_lane *lane = lane_of(w, tid);
    tk_uw_begin(lane, &note);
    tk_uw_u32(&lane->pending, n);
    tk_uw_end(lane, &note);
}

#define UNNUMBERED 0x80000000u /* added to the N of events without a number */

/* The N of all events of a reading. */
struct numbers {
    uint32_t v[40000];
    size_t n;
};

static struct numbers told, expected;

static void take_numbers(const struct tk_batch *batch)
{
    for (size_t i = 0; i < batch->n_facts; i++) {
        const struct tk_fact *f = &batch->facts[i];
        struct tk_cell value;
        if (f->kind != TK_FACT_RECORD)
            continue;
        f->u.record.rec.type->value(&f->u.record.rec, 0, &value);
        if (told.n == sizeof told.v / sizeof *told.v)
            ck_abort_msg("too many events");
        told.v[told.n++] = (uint32_t)value.v.u | (f->u.record.has_serial ? 0 : UNNUMBERED);
    }
}

static void expect(uint32_t n)
{
    expected.v[expected.n++] = n;
}

/* A reading in serial order, which must give the expected numbers; `o` stays open. */
static void check_numbers(struct written *w, struct opened *o)
{
    struct tk_request request = {.facts = RECORDS, .order = TK_ORDER_SERIAL};
    struct tk_source *source;
    struct tk_batch batch;
    write_end(w);
    open_written(o, &w->bytes);
    told.n = 0;
    ck_assert_int_eq(o->capture->ops->read(o->capture, &request, &source, &o->err), TK_OK);
    while ((o->rc = tk_source_next(source, &batch, &o->err)) == TK_ITEM) {
        take_numbers(&batch);
        o->batches++;
    }
    ck_assert_int_eq(o->rc, TK_OK);
    tk_source_close(source);
    ck_assert_uint_eq(told.n, expected.n);
    for (size_t i = 0; i < told.n; i++)
        if (told.v[i] != expected.v[i])
            ck_abort_msg("%zu: %x, expected %x", i, told.v[i], expected.v[i]);
    expected.n = 0;
}

static void close_written(struct written *w, struct opened *o)
{
    close_opened(o);
    tk_uw_bytes_release(&w->bytes);
}

/* `order`: the N of the events, an n before those without a number: "1 2 n3". */
static void check_order(struct written *w, const char *order, uint64_t gap, uint64_t late_ones)
{
    struct opened o;
    for (const char *p = order; *p; p += strspn(p, " ")) {
        bool unnumbered = *p == 'n';
        char *end;
        expect((uint32_t)strtoul(p + unnumbered, &end, 10) | (unnumbered ? UNNUMBERED : 0));
        p = end;
    }
    check_numbers(w, &o);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_GAP), gap);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_LATE), late_ones);
    ck_assert(!tk_health_damaged(&o.ctx.health));
    close_written(w, &o);
}

/* The events 0, 1, 2... in turn on three threads, with serials from `first` on. */
static void check_run(uint8_t protocol, uint32_t first, uint32_t count)
{
    struct written w;
    struct opened o;
    begin_at(&w, protocol, first - 3);
    for (uint32_t i = 0; i < count; i++) {
        put(&w, 2 + i * i % 3, first + i, i % 30000);
        expect(i % 30000);
    }
    check_numbers(&w, &o);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_GAP), 0);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_LATE), 0);
    close_written(&w, &o);
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

/* Protocol 1 wraps often: several wraps in one file. */
START_TEST(many_wraps)
{
    struct written w;
    struct opened o;
    begin_at(&w, 1, 2);
    for (uint32_t i = 0; i < 35000; i++) { /* five times 65536 */
        put(&w, 2 + i % 3, 5 + 10 * i, i);
        expect(i);
    }
    check_numbers(&w, &o);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_GAP), 9 * 34999);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_LATE), 0);
    close_written(&w, &o);
}
END_TEST

/* Serial numbers counted on past wraps are told with the facts, in both orders. */
START_TEST(counted_on)
{
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        struct written w;
        struct opened o;
        begin(&w);
        put(&w, 2, 0xFFFFFE, 1);
        write_end(&w);
        open_written(&o, &w.bytes);
        tell_in_order(&o, RECORDS, order);
        uint64_t first = o.last_seq;
        close_opened(&o);
        tk_uw_bytes_release(&w.bytes);
        begin(&w);
        put(&w, 2, 0xFFFFFE, 1);
        put(&w, 2, 0xFFFFFF, 2);
        put(&w, 2, 0, 3);
        put(&w, 2, 1, 4);
        write_end(&w);
        open_written(&o, &w.bytes);
        tell_in_order(&o, RECORDS, order);
        ck_assert_uint_eq(o.last_seq, first + 3);
        close_opened(&o);
        tk_uw_bytes_release(&w.bytes);
    }
}
END_TEST

/* In file order numbers also go back. */
START_TEST(counted_back)
{
    struct written w;
    struct opened o;
    uint64_t seq[2];
    for (uint32_t i = 0; i < 2; i++) {
        begin(&w);
        put(&w, 2, 1, 1);
        if (i)
            put(&w, 3, 0xFFFFFE, 0);
        write_end(&w);
        open_written(&o, &w.bytes);
        tell(&o, RECORDS);
        seq[i] = o.last_seq;
        close_written(&w, &o);
    }
    ck_assert_uint_eq(seq[1], seq[0] - 3);
}
END_TEST

/* Nothing is missing before the first number and behind the last; in between a gap is told with its length.
 */
START_TEST(gaps)
{
    struct written w;
    begin(&w);
    put(&w, 2, 1000, 1);
    put(&w, 3, 1001, 2);
    put(&w, 3, 1010, 3);
    put(&w, 2, 1011, 4);
    put(&w, 2, 1013, 5);
    check_order(&w, "1 2 3 4 5", 9, 0);
}
END_TEST

START_TEST(gap_over_the_wrap)
{
    struct written w;
    begin(&w);
    put(&w, 2, 0xFFFFFE, 1);
    put(&w, 3, 2, 2);
    check_order(&w, "1 2", 3, 0);
}
END_TEST

/* What comes behind its number is told at once, and the lane goes on. */
START_TEST(late)
{
    struct written w;
    begin(&w);
    put(&w, 2, 5, 1);
    put(&w, 2, 6, 2);
    put(&w, 2, 3, 3);
    put(&w, 2, 7, 4);
    put(&w, 3, 8, 5);
    check_order(&w, "1 2 3 4 5", 0, 1);
}
END_TEST

START_TEST(doubled)
{
    struct written w;
    begin(&w);
    put(&w, 2, 5, 1);
    put(&w, 2, 6, 2);
    put(&w, 3, 6, 3);
    put(&w, 3, 7, 4);
    check_order(&w, "1 2 3 4", 0, 1);
}
END_TEST

/* Events without a number come right behind the one before them on their thread; those at the beginning
 * first. */
START_TEST(without_numbers)
{
    struct written w;
    begin(&w);
    put_note(&w, 2, 10);
    put(&w, 2, 1, 1);
    put_note(&w, 2, 11);
    put_note(&w, 2, 12);
    put(&w, 2, 3, 3);
    put_note(&w, 3, 20);
    put(&w, 3, 2, 2);
    put_note(&w, 3, 21);
    put(&w, 3, 4, 4);
    put_note(&w, 4, 30);
    check_order(&w, "n10 n20 n30 1 n11 n12 2 n21 3 4", 0, 0);
}
END_TEST

/* Those that nobody asked for leave no gap. */
START_TEST(unasked)
{
    static const char *const patterns[] = {"A.Text"};
    struct tk_request request = {
        .facts = RECORDS, .order = TK_ORDER_SERIAL, .events = patterns, .n_events = 1};
    struct written w;
    struct opened o;
    begin(&w);
    for (uint32_t i = 0; i < 30; i++) {
        struct tk_uw_lane *lane = lane_of(&w, 2 + i % 2);
        if (i % 3) {
            put(&w, 2 + i % 2, i, i);
            continue;
        }
        tk_uw_begin_serial(lane, &text, i);
        tk_uw_u32(&lane->pending, i);
        put_note(&w, 2 + i % 2, i); /* nested: the value comes in two packets */
        tk_uw_value(lane, &text, 1, "abc", 3);
        tk_uw_end(lane, &text);
    }
    write_end(&w);
    open_written(&o, &w.bytes);
    check_text(
        tell_asked(&o, &request),
        "t2 #0 A.Text N=0 Text=\"abc\"\nt3 #3 A.Text N=3 Text=\"abc\"\nt2 #6 A.Text N=6 Text=\"abc\"\n"
        "t3 #9 A.Text N=9 Text=\"abc\"\nt2 #12 A.Text N=12 Text=\"abc\"\nt3 #15 A.Text N=15 Text=\"abc\"\n"
        "t2 #18 A.Text N=18 Text=\"abc\"\nt3 #21 A.Text N=21 Text=\"abc\"\nt2 #24 A.Text N=24 Text=\"abc\"\n"
        "t3 #27 A.Text N=27 Text=\"abc\"\n");
    ck_assert_uint_eq(all_faults(&o), 0);
    close_opened(&o);
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

/* Synchronised events inside others, also unwanted outer ones; the inner one's number is not always the
 * higher one. */
START_TEST(nested)
{
    for (int asked = 0; asked < 2; asked++) {
        static const char *const patterns[] = {"A.Tick"};
        struct tk_request request = {
            .facts = RECORDS, .order = TK_ORDER_SERIAL, .events = patterns, .n_events = asked ? 0 : 1};
        struct written w;
        struct opened o;
        begin(&w);
        struct tk_uw_lane *lane = lane_of(&w, 2);
        put(&w, 3, 12, 12);
        tk_uw_begin_serial(lane, &text, 10);
        tk_uw_u32(&lane->pending, 10);
        tk_uw_blob(lane, &text, 1, "a", 1);
        put(&w, 2, 11, 11);
        tk_uw_blob(lane, &text, 1, "b", 1);
        put(&w, 2, 13, 13);
        tk_uw_end(lane, &text);
        put(&w, 2, 14, 14);
        put(&w, 3, 15, 15);
        write_end(&w);
        open_written(&o, &w.bytes);
        struct lines lines = {0};
        add_line(&lines,
                 "%st2 #11 A.Tick N=11\nt3 #12 A.Tick N=12\nt2 #13 A.Tick N=13\nt2 #14 A.Tick N=14\nt3 #15 "
                 "A.Tick N=15\n",
                 asked ? "t2 #10 A.Text N=10 Text=\"ab\"\n" : "");
        check_text(tell_asked(&o, &request), lines.text);
        ck_assert_uint_eq(all_faults(&o), 0);
        release_lines(&lines);
        close_opened(&o);
        tk_uw_bytes_release(&w.bytes);
    }
}
END_TEST

/* Protocols 1 and 2: declarations have numbers too, here on another stream. */
START_TEST(declarations_count)
{
    for (uint8_t protocol = 1; protocol <= 2; protocol++) {
        struct written w;
        begin_at(&w, protocol, 0);
        ck_assert_uint_eq(w.uw.stream.serial, 3);
        put(&w, 2, 3, 1);
        put(&w, 3, 5, 3);
        w.uw.stream.serial = 4;
        struct tk_uw_type more = tick;
        more.event = "Tock";
        tk_uw_register(&w.uw, &more);
        put(&w, 3, 6, 4);
        check_order(&w, "1 3 4", 0, 0);
    }
}
END_TEST

/* The numbers on tid 0x3FFE mean nothing. */
START_TEST(connection)
{
    struct written w;
    begin(&w);
    struct tk_uw_lane early;
    tk_uw_thread(&w.uw, &early, TK_UW_TID_PSEUDO_IMPORTANT);
    for (uint32_t i = 0; i < 3; i++) {
        tk_uw_begin_serial(&early, &tick, 0);
        tk_uw_u32(&early.pending, 90 + i);
        tk_uw_end(&early, &tick);
    }
    tk_uw_lane_flush(&early);
    tk_uw_lane_release(&early);
    put(&w, 2, 5, 1);
    put(&w, 3, 6, 2);
    check_order(&w, "n90 n91 n92 1 2", 0, 0);
}
END_TEST

/* More events than a batch takes, and runs without a number that are longer than one. */
START_TEST(many_events)
{
    struct written w;
    struct opened o;
    begin(&w);
    for (uint32_t i = 0; i < 10000; i++) {
        put_note(&w, 2, i);
        expect(i | UNNUMBERED);
    }
    for (uint32_t i = 0; i < 10000; i++) {
        put(&w, 2 + i / 100 % 3, i, i);
        expect(i);
    }
    check_numbers(&w, &o);
    ck_assert_uint_gt(o.batches, 4);
    ck_assert_uint_eq(all_faults(&o), 0);
    close_written(&w, &o);
}
END_TEST

/* An event that fills a packet, so that lanes get far from each other in the file. */
static void put_filler(struct written *w, unsigned tid, uint32_t serial, uint32_t n)
{
    static uint8_t bytes[300];
    struct tk_uw_lane *lane = lane_of(w, tid);
    tk_uw_begin_serial(lane, &text, serial);
    tk_uw_u32(&lane->pending, n);
    tk_uw_value(lane, &text, 1, bytes, sizeof bytes);
    tk_uw_end(lane, &text);
    send_lane(w, tid);
}

/* One number stands in the last packet of the file, far behind its neighbours: found, and no gap. */
START_TEST(far_apart)
{
    enum { N = 20000, MISSING = 5000 };
    struct written w;
    struct opened o;
    begin(&w);
    for (uint32_t i = 0; i < N + 2; i++) {
        expect(i);
        if (i != MISSING && i < N)
            put_filler(&w, 2, i, i);
    }
    put(&w, 3, MISSING, MISSING);
    put(&w, 3, N, N);
    put(&w, 2, N + 1, N + 1);
    check_numbers(&w, &o);
    ck_assert_uint_eq(all_faults(&o), 0);
    close_written(&w, &o);
}
END_TEST

/* A lane that begins far behind in the file, where the number has wrapped to nearly the same value. */
START_TEST(far_wrap)
{
    enum { N = 24000 };
    struct written w;
    struct opened o;
    begin(&w);
    for (uint32_t i = 0; i < N; i++) { /* steps of 700 make a whole wrap of 24 bits */
        put_filler(&w, 2, i * 700, i);
        expect(i);
    }
    put(&w, 3, (N * 700 + 1) & 0xFFFFFF, N);
    expect(N);
    check_numbers(&w, &o);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_LATE), 0);
    close_written(&w, &o);
}
END_TEST

/* 16 000 threads, an event each, the last thread's first. */
START_TEST(many_threads)
{
    enum { N = 16000 };
    struct written w;
    struct opened o;
    begin(&w);
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
    check_numbers(&w, &o);
    ck_assert_uint_eq(all_faults(&o), 0);
    close_written(&w, &o);
}
END_TEST

/* A packet that cannot be unpacked leaves a gap of as many numbers as it held. */
START_TEST(lost_packet)
{
    struct written w;
    struct opened o;
    begin(&w);
    put(&w, 2, 0, 0);
    send_lane(&w, 2);
    size_t at = w.bytes.size;
    for (uint32_t i = 1; i < 101; i++)
        put(&w, 2, i, i);
    send_lane(&w, 2);
    put(&w, 2, 101, 101);
    put(&w, 3, 102, 102);
    ck_assert(w.bytes.data[at + 3] & 0x80);
    memset(w.bytes.data + at + 6, 0xFF, 30);
    expect(0);
    expect(101);
    expect(102);
    check_numbers(&w, &o);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_SERIAL_GAP), 100);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DAMAGED), 1);
    close_written(&w, &o);
}
END_TEST

/* What is asked for is the same for several jobs. */
START_TEST(jobs)
{
    struct written w;
    struct opened one, four;
    begin(&w);
    for (uint32_t i = 0; i < 9000; i++)
        put(&w, 2 + i * i % 5, i, i);
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
    tk_uw_bytes_release(&w.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {in_turn,
                                  wraps,
                                  many_wraps,
                                  counted_on,
                                  counted_back,
                                  gaps,
                                  gap_over_the_wrap,
                                  late,
                                  doubled,
                                  without_numbers,
                                  unasked,
                                  nested,
                                  declarations_count,
                                  connection,
                                  many_events,
                                  far_apart,
                                  far_wrap,
                                  many_threads,
                                  lost_packet,
                                  jobs};
    return RUN_TESTS("utrace serial order", tests);
}
