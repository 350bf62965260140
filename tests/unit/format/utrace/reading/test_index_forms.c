/*
 * The walk over packets that are written in other ways: with counters, with bit 14, raw and large, twice,
 * without packets, in batches; limits (wire 2).
 */
#include "format/utrace/sample.h"

/* Wire 2.5: a counter behind every packet, known by the first one. */
START_TEST(counted)
{
    struct sample s;
    struct opened o;
    make_with(&s, (struct tk_uw_options){TK_UW_DEFAULTS, .packing = TK_UW_AUTO, .verify = true});
    check_read(&o, &s, 0);
    ck_assert(ut(&o)->index.counted);
    ck_assert_uint_eq(all_faults(&o), 0);
    ck_assert_uint_eq(part(&o, TK_LEDGER_FRAMING), 4 + 8 + PACKETS * (6 + 8));
    close_opened(&o);
    insert(&s, s.begin[10], "\xFF\xFF\xFF\xFF\xFF", 5);
    check_read(&o, &s, 0);
    ck_assert_uint_eq(part(&o, TK_LEDGER_SKIPPED), 5);
    close_opened(&o);
    for (size_t n = s.bytes.size - 8; n < s.bytes.size; n++) { /* cut in the last counter */
        open_bytes(&o, s.bytes.data, n);
        ck_assert_uint_eq(ut(&o)->index.n, PACKETS + 1);
        check_ledger(&o);
        close_opened(&o);
    }
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* Bit 14 without a counter of one behind the first packet says nothing about counters. */
START_TEST(partial_bit_alone)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_PLAIN);
    for (size_t i = 0; i < PACKETS; i++)
        s.bytes.data[s.begin[i] + 3] |= 0x40;
    s.bytes.data[48 + 3] |= 0x40;
    check_read(&o, &s, 0);
    ck_assert(!ut(&o)->index.counted);
    ck_assert_uint_eq(all_faults(&o), 0);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* Protocol 5: a packet that goes on with a value whose beginning is not there is left out. */
START_TEST(partial_orphan)
{
    struct sample s;
    struct opened o;
    make_with(&s, (struct tk_uw_options){
                      .form = TK_UW_ECRT, .transport = 4, .protocol = 5, .packing = TK_UW_PLAIN});
    s.bytes.data[s.begin[0] + 3] |= 0x40;
    s.bytes.data[s.begin[5] + 3] |= 0x40; /* of a thread that was seen: it just goes on */
    check_read(&o, &s, 1);
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_ORPHAN), 1);
    ck_assert_uint_eq(all_faults(&o), 1);
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

/* Transport 3 is the same without syncs; one is taken where it stands. */
START_TEST(transport_3)
{
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        struct sample s;
        struct opened o;
        make_with(&s, (struct tk_uw_options){.form = TK_UW_ECRT, .transport = 3, .protocol = protocol});
        insert(&s, s.begin[6], "\x04\x00\xFF\x3F", 4);
        check_read(&o, &s, 0);
        ck_assert_uint_eq(all_faults(&o), 0);
        close_opened(&o);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

/* Raw packets of any size are legal where nothing is wrong. */
START_TEST(large_raw_packet)
{
    struct tk_uw_bytes bytes = {0};
    struct tk_uw_type type = tick_type;
    struct tk_uw_lane lane;
    struct tk_uw uw;
    struct opened o;
    tk_uw_open(&uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .memory = &bytes, .packing = TK_UW_PLAIN});
    tk_uw_register(&uw, &type);
    tk_uw_thread(&uw, &lane, 2);
    lane.limit = 65529;
    for (unsigned i = 0; i < 10900; i++) {
        tk_uw_begin(&lane, &type);
        tk_uw_u32(&lane.pending, i);
        tk_uw_end(&lane, &type);
    }
    tk_uw_lane_flush(&lane);
    tk_uw_lane_release(&lane);
    ck_assert_int_eq(tk_uw_close(&uw), 0);
    open_written(&o, &bytes);
    ck_assert_uint_eq(ut(&o)->index.n, 2);
    check_text(tell(&o, TK_FACT_MASK(RECORD_COUNT)), "count Demo.Tick 10900, 65400 bytes\n");
    close_opened(&o);
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* Headers read through a memory map: the same index. */
START_TEST(mapped)
{
    for (int i = 0; i < 2; i++) {
        struct sample s;
        struct opened plain, map;
        make(&s, packings[i]);
        insert(&s, s.begin[10], "\0\0\0\0\0\0\0", 7);
        open_written(&plain, &s.bytes);
        prepare(&map, s.bytes.data, s.bytes.size, 1);
        map.options.map = true;
        open_prepared(&map);
        ck_assert_uint_eq(ut(&map)->index.n, ut(&plain)->index.n);
        for (size_t k = 0; k <= ut(&map)->index.n; k++)
            ck_assert_uint_eq(tk_ut_index_offset(&ut(&map)->index, k),
                              tk_ut_index_offset(&ut(&plain)->index, k));
        check_ledger(&map);
        close_opened(&plain);
        close_opened(&map);
        tk_uw_bytes_release(&s.bytes);
    }
}
END_TEST

/* Transport 1 has no packets: events lie across the slices that are read. */
START_TEST(raw_stream)
{
    enum { N = 9000 };
    struct tk_uw_bytes bytes = {0};
    struct tk_uw_type type = tick_type;
    struct lines expected = {0};
    struct tk_uw uw;
    struct opened o;
    tk_uw_open(&uw,
               &(struct tk_uw_options){.memory = &bytes, .form = TK_UW_ECRT, .transport = 1, .protocol = 0});
    tk_uw_register(&uw, &type);
    for (uint32_t i = 0; i < N; i++) {
        tk_uw_begin(&uw.important, &type);
        tk_uw_u32(&uw.important.pending, i);
        tk_uw_text(&uw.important.pending, "xyz");
        tk_uw_end(&uw.important, &type);
        add_line(&expected, "t0 Demo.Tick Value=%u +<78797a>\n", i);
    }
    ck_assert_int_eq(tk_uw_close(&uw), 0);
    ck_assert_uint_gt(bytes.size, 3 * 32768);
    open_written(&o, &bytes);
    check_text(tell(&o, RECORDS), expected.text);
    ck_assert_uint_eq(all_faults(&o), 0);
    check_ledger(&o);
    close_opened(&o);
    open_bytes(&o, bytes.data, bytes.size - 3); /* cut in the last event */
    const char *reported = tell(&o, RECORDS), *last = "t0 Demo.Tick Value=8999 incomplete\n";
    size_t whole = expected.n - strlen("t0 Demo.Tick Value=8999 +<78797a>\n");
    ck_assert_int_eq(strncmp(reported, expected.text, whole), 0);
    check_text(reported + whole, last);
    check_ledger(&o);
    close_opened(&o);
    release_lines(&expected);
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* ---- the same packet twice ---- */

START_TEST(repeated_packet)
{
    for (int synced = 0; synced < 2; synced++) {
        struct tk_uw_bytes bytes = {0};
        struct tk_uw_type type = tick_type;
        struct tk_uw_lane lane;
        struct tk_uw uw;
        struct opened o;
        type.flags = synced ? 0 : TK_UW_NOSYNC;
        tk_uw_open(&uw, &(struct tk_uw_options){TK_UW_DEFAULTS, .memory = &bytes});
        tk_uw_register(&uw, &type);
        tk_uw_thread(&uw, &lane, 2);
        for (uint32_t i = 0; i < 9; i++) {
            tk_uw_begin(&lane, &type);
            tk_uw_u32(&lane.pending, i);
            tk_uw_end(&lane, &type);
        }
        size_t begin = bytes.size;
        tk_uw_lane_flush(&lane);
        tk_uw_lane_release(&lane);
        size_t n = bytes.size - begin;
        uint8_t *copy = malloc(n);
        memcpy(copy, bytes.data + begin, n);
        tk_uw_raw(&bytes, copy, n);
        free(copy);
        ck_assert_int_eq(tk_uw_close(&uw), 0);
        for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
            open_written(&o, &bytes);
            size_t events = 0;
            for (const char *p = tell_in_order(&o, RECORDS, order); *p; p++)
                events += *p == '\n';
            ck_assert_uint_eq(events, synced ? 9 : 18);
            ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DUPLICATE), (unsigned)synced);
            ck_assert_uint_eq(all_faults(&o), (unsigned)synced);
            close_opened(&o);
        }
        tk_uw_bytes_release(&bytes);
    }
}
END_TEST

/* Protocol 3: a value that goes on for packets of equal bytes. None of them is a copy of the one before, as
 * no serial number comes twice. */
START_TEST(equal_packets_of_one_value)
{
    static const uint8_t head[] = "\x00\x00\x17\x00\x01\x00\x01\x02\x04\x03\x00\x00\x00\x00\x80\x04"
                                  "DemoArrData"                  /* uid 1: an array */
                                  "\x01\x00\x00\x00\x07\x00\x00" /* an event, serial 7 */
                                  "\x80\x90\x01\x00";            /* 400 bytes for field 0 */
    uint8_t piece[100];
    struct tk_uw_bytes bytes = {0};
    struct tk_uw_sink sink;
    struct tk_uw_packets packets = {.sink = &sink, .transport = 3, .packing = TK_UW_PLAIN};
    memset(piece, 'x', sizeof piece);
    tk_uw_sink_memory(&sink, &bytes);
    tk_uw_header(&sink, TK_UW_ECRT, NULL, 3, 3);
    tk_uw_packet(&packets, 2, head, sizeof head - 1);
    for (int i = 0; i < 4; i++)
        tk_uw_packet(&packets, 2, piece, sizeof piece);
    tk_uw_packet(&packets, 2, (const uint8_t *)"", 1);
    for (unsigned order = TK_ORDER_FILE; order <= TK_ORDER_SERIAL; order++) {
        struct opened o;
        open_written(&o, &bytes);
        const char *reported = tell_in_order(&o, RECORDS, order);
        ck_assert_ptr_nonnull(strchr(reported, '\n'));
        ck_assert_ptr_null(strchr(strchr(reported, '\n') + 1, '\n'));
        ck_assert_uint_eq(all_faults(&o), 0);
        close_opened(&o);
    }
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* ---- transport 2 ---- */

/* "01 40 05 00 05 00 ..." of B.5 with another Id. */
static void put_message(struct tk_uw_packets *packets, uint16_t serial, uint8_t id)
{
    const uint8_t event[] = {1, 0, 2, 0, id, 0};
    tk_uw_packet(packets, serial, event, sizeof event);
}

static void put_declaration(struct tk_uw_packets *packets, uint16_t serial)
{
    static const uint8_t declaration[] = "\x00\x00\x15\x00\x01\x00\x01\x00\x04\x03\x00\x00\x02\x00\x01\x02"
                                         "DemoMsgId";
    tk_uw_packet(packets, serial, declaration, sizeof declaration - 1);
}

/* A file of transport 2: a batch for each serial that is not above the one before. */
static void batches(struct tk_uw_bytes *out, enum tk_uw_packing packing, const uint16_t *serials, size_t n)
{
    struct tk_uw_sink sink;
    struct tk_uw_packets packets = {.sink = &sink, .transport = 2, .packing = packing};
    tk_uw_sink_memory(&sink, out);
    tk_uw_header(&sink, TK_UW_ECRT, NULL, 2, 0);
    put_declaration(&packets, 0);
    for (size_t i = 0; i < n; i++)
        put_message(&packets, serials[i], (uint8_t)i);
}

/* Wire 2.2: a batch is consumed from its last packet to its first; the last batch is not lost. */
START_TEST(batches_backwards)
{
    static const uint16_t serials[] = {0, 1, 2, 2, 7, 0x7FFF, 0, 5};
    static const uint8_t expected[] = {2, 1, 0, 5, 4, 3, 7, 6};
    for (int i = 0; i < 2; i++) {
        struct tk_uw_bytes bytes = {0};
        struct lines l = {0};
        struct opened o;
        batches(&bytes, i ? TK_UW_LZ4 : TK_UW_PLAIN, serials, 8);
        for (size_t k = 0; k < 8; k++)
            add_line(&l, "t0 Demo.Msg Id=%u\n", expected[k]);
        open_written(&o, &bytes);
        check_text(tell(&o, RECORDS), l.text);
        ck_assert_uint_eq(all_faults(&o), 0);
        check_ledger(&o);
        ck_assert_uint_eq(ut(&o)->index.n, 9);
        close_opened(&o);
        release_lines(&l);
        tk_uw_bytes_release(&bytes);
    }
}
END_TEST

/* Cut at every byte: whole packets are read, in the order of their batches. */
START_TEST(batches_cut)
{
    static const uint16_t serials[] = {0, 1};
    struct tk_uw_bytes bytes = {0};
    struct opened o;
    batches(&bytes, TK_UW_PLAIN, serials, 2);
    size_t first = bytes.size - 20, second = bytes.size - 10;
    for (size_t n = first; n < bytes.size; n++) {
        open_bytes(&o, bytes.data, n);
        check_text(tell(&o, RECORDS), n < second ? "" : "t0 Demo.Msg Id=0\n");
        ck_assert_int_eq(o.capture->ops->truncated(o.capture), n != first && n != second);
        ck_assert(!tk_health_damaged(&o.ctx.health));
        check_ledger(&o);
        close_opened(&o);
    }
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* When less is left of a packet than the next event needs, that rest is dropped. */
START_TEST(batches_rest)
{
    struct tk_uw_bytes bytes = {0};
    struct tk_uw_sink sink;
    struct tk_uw_packets packets = {.sink = &sink, .transport = 2, .packing = TK_UW_PLAIN};
    struct opened o;
    tk_uw_sink_memory(&sink, &bytes);
    tk_uw_header(&sink, TK_UW_ECRT, NULL, 2, 0);
    put_declaration(&packets, 0);
    tk_uw_packet(&packets, 0, "\1\0\2\0\7\0\1\0\2", 9);
    put_message(&packets, 0, 8);
    open_written(&o, &bytes);
    check_text(tell(&o, RECORDS), "t0 Demo.Msg Id=7\nt0 Demo.Msg Id=8\n");
    close_opened(&o);
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* Wire 2.2: no more than 8192 bytes unpacked. */
START_TEST(batches_large)
{
    struct tk_uw_bytes bytes = {0};
    struct tk_uw_sink sink;
    struct tk_uw_packets packets = {.sink = &sink, .transport = 2, .packing = TK_UW_LZ4};
    static uint8_t events[8194]; /* of uid 1 and size 0 .. */
    struct opened o;
    for (size_t i = 0; i + 6 <= sizeof events; i += 6)
        memcpy(events + i, "\1\0\2\0\7\0", 6);
    tk_uw_sink_memory(&sink, &bytes);
    tk_uw_header(&sink, TK_UW_ECRT, NULL, 2, 0);
    put_declaration(&packets, 0);
    tk_uw_packet(&packets, 0, events, 8190);
    tk_uw_packet(&packets, 0, events, 8194);
    open_written(&o, &bytes);
    check_text(tell(&o, TK_FACT_MASK(RECORD_COUNT)), "count Demo.Msg 1365, 8190 bytes\n");
    ck_assert_uint_eq(faults(&o, TK_HEALTH_PACKET_DAMAGED), 1);
    close_opened(&o);
    tk_uw_bytes_release(&bytes);
}
END_TEST

/* ---- limits ---- */

START_TEST(packet_limit)
{
    struct sample s;
    struct opened o;
    make(&s, TK_UW_AUTO);
    prepare(&o, s.bytes.data, s.bytes.size, 1);
    o.ctx.limits.packets = 10;
    open_prepared(&o);
    ck_assert_int_eq(o.rc, TK_ELIMIT);
    ck_assert_ptr_nonnull(strstr(o.err.text[0], "'packets'"));
    close_opened(&o);
    tk_uw_bytes_release(&s.bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {counted,           partial_bit_alone, partial_orphan,
                                  transport_3,       large_raw_packet,  mapped,
                                  raw_stream,        repeated_packet,   equal_packets_of_one_value,
                                  batches_backwards, batches_cut,       batches_rest,
                                  batches_large,     packet_limit};
    return RUN_TESTS("utrace index, forms", tests);
}
