/*
 * Lanes of protocols 5 to 7: what cannot be read, and where reading goes on behind it (wire 2.5, 3.5, 9.2).
 */
#include "format/utrace/lane_types.h"

/* Codes that a protocol has not: the rest of the packet is dropped, the next one is read. */
START_TEST(reserved_codes)
{
    static const uint8_t known[2][10] = {{0x02, 0x06, 0x08, 0x0A, 0x10, 0x18},
                                         {0x02, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12}};
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        for (unsigned code = 0; code < 0x20; code += 2) {
            if (code && memchr(known[protocol == 7], (int)code, sizeof known[0]))
                continue;
            open_lane(protocol);
            put_tick(&tick, 1);
            tk_uw_u8(&f.lane.pending, (uint8_t)code);
            put_tick(&tick, 2);
            size_t cut = f.lane.pending.size;
            put_tick(&tick, 3);
            check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}), "Demo.Tick N=1\ncut\nDemo.Tick N=3\n");
            ck_assert_uint_eq(noted(TK_HEALTH_STREAM_BREAK), 1);
            ck_assert_uint_eq(f.health.items[0].offset, 100);
        }
    }
}
END_TEST

START_TEST(undeclared)
{
    put_tick(&tick, 1);
    FED_RAW(&f, "\xC9\x00\x01\x02\x03\x04");
    put_tick(&tick, 2);
    size_t cut = f.lane.pending.size;
    put_tick(&tick, 3);
    check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}), "Demo.Tick N=1\ncut\nDemo.Tick N=3\n");
    ck_assert_uint_eq(noted(TK_HEALTH_TYPE_UNDECLARED), 1);
    ck_assert_ptr_nonnull(strstr(f.health.items[0].text, "undeclared uid 100;"));
    ck_assert_uint_eq(f.health.items[0].offset, 100);
}
END_TEST

/* A break in the middle of a record, of a group and of scopes: what began before is reported, what was open
 * is lost. */
START_TEST(broken)
{
    struct tk_ut_lane lane = {.tid = 2};
    tk_uw_enter_at(&f.lane, 5);
    put_tick(&work, 1);
    begin_text(&text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    put_tick(&tick, 2);
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size - 3, 100);
    ck_assert_int_eq(tk_ut_lane_break(&f.decoder, &lane, 500, "bytes are missing"), TK_OK);
    tk_uw_bytes_clear(&f.lane.pending);
    tk_uw_leave_at(&f.lane, 9);
    put_tick(&tick, 3);
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size, 600);
    check_text(f.reported.text, "enter Cpu.Work 5\nCpu.Work N=1\n#0 Demo.Text A=1 Text=\"half\" Data=[] "
                                "incomplete\ncut\nDemo.Tick N=3\n");
    ck_assert_uint_eq(noted(TK_HEALTH_STREAM_BREAK), 1);
    ck_assert_uint_eq(noted(TK_HEALTH_EVENT_INCOMPLETE), 1); /* the file does not end there */
    ck_assert_uint_eq(noted(TK_HEALTH_FILE_TRUNCATED), 0);
    tk_ut_lane_release(&lane);
}
END_TEST

/* Array data that does not end: damage where the thread goes on in another packet, no more than a cut where
 * the stream ends in it. */
START_TEST(end_of_data_missing)
{
    for (unsigned more = 0; more < 2; more++) {
        open_lane(7);
        put_tick(&tick, 1);
        begin_text(&text, 1);
        tk_uw_blob(&f.lane, &text, 1, "half", 4);
        size_t cut = f.lane.pending.size;
        if (more)
            put_tick(&tick, 2);
        check_text(
            fed_in_pieces(&f, (const size_t[]){more ? cut : 0, 0}),
            more ? "Demo.Tick N=1\n#0 Demo.Text A=1 Text=\"half\" Data=[] incomplete\ncut\nDemo.Tick N=2\n"
                 : "Demo.Tick N=1\n#0 Demo.Text A=1 Text=\"half\" Data=[] incomplete\n");
        ck_assert_uint_eq(noted(TK_HEALTH_EVENT_INCOMPLETE), more);
        ck_assert_uint_eq(noted(TK_HEALTH_FILE_TRUNCATED), !more);
        ck_assert_int_eq(tk_health_damaged(&f.health), more != 0);
    }
}
END_TEST

/* Of array data that the end of the file cuts off, what is there is reported: with blobs (protocol 7), in
 * protocols 2 to 4 before and inside the array data, and as an attachment (protocol 1). */
START_TEST(cut_data)
{
    static const struct {
        uint8_t protocol;
        unsigned less; /* bytes */
        const char *reported;
    } cases[] = {{7, 3, "#0 Demo.Text A=1 Text=\"tex\" Data=[] incomplete\n"},
                 {7, 5, "#0 Demo.Text A=1 Text=\"t\" Data=[] incomplete\n"},
                 {4, 3, "#0 Demo.Text A=1 Text=\"tex\" Data=[] incomplete\n"},
                 {3, 5, "#0 Demo.Text A=1 Text=\"t\" Data=[] incomplete\n"},
                 {2, 6, "#0 Demo.Text A=1 Text=\"\" Data=[] incomplete\n"},
                 {2, 11, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tk_ut_lane lane = {.tid = 2};
        open_lane(cases[i].protocol);
        put_text(&text, 1, "text!");
        fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size - cases[i].less, 100);
        ck_assert_int_eq(tk_ut_lane_finish(&f.decoder, &lane, true), TK_OK);
        check_text(f.reported.text ? f.reported.text : "", cases[i].reported);
        ck_assert(!tk_health_damaged(&f.health));
        tk_ut_lane_release(&lane);
    }
}
END_TEST

/* Array data whose event is lost: nothing at the beginning of a thread, damage behind an event. */
START_TEST(event_of_data_missing)
{
    for (unsigned before = 0; before < 2; before++) {
        open_lane(7);
        if (before)
            put_tick(&tick, 1);
        tk_uw_blob(&f.lane, &text, 1, "half", 4);
        put_tick(&tick, 2);
        check_text(fed_whole(&f), before ? "Demo.Tick N=1\nDemo.Tick N=2\n" : "Demo.Tick N=2\n");
        ck_assert_uint_eq(noted(TK_HEALTH_STREAM_BREAK), before);
        ck_assert_uint_eq(noted(TK_HEALTH_BLOB_ORPHAN), !before);
        ck_assert_int_eq(tk_health_damaged(&f.health), before != 0);
    }
}
END_TEST

/* A value that is divided, whose second half has the form of records: it fits what came before, so it is no
 * break (wire 2.8: a stream may be cut at any byte). */
START_TEST(divided_value)
{
    put_tick(&tick, 4);
    const size_t n = f.lane.pending.size;
    char value[64] = "ab";
    ck_assert_uint_lt(n, sizeof value - 2);
    memcpy(value + 2, f.lane.pending.data, n);
    tk_uw_bytes_clear(&f.lane.pending);
    put_tick(&tick, 1);
    begin_text(&text, 1);
    tk_uw_blob(&f.lane, &text, 1, value, n + 2);
    const size_t cut = f.lane.pending.size - n;
    tk_uw_end(&f.lane, &text);
    put_tick(&tick, 2);
    const char *reported = fed_in_pieces(&f, (const size_t[]){cut, 0});
    ck_assert_ptr_nonnull(strstr(reported, "Demo.Tick N=2"));
    ck_assert_ptr_null(strstr(reported, "Demo.Tick N=4"));
    ck_assert_ptr_null(strstr(reported, "incomplete"));
    ck_assert_uint_eq(f.health.n_items, 0);
}
END_TEST

/* Array data whose size leads `over` bytes beyond its packet, of which `behind` stand behind it there. */
static void put_long_data(size_t behind, size_t over)
{
    const size_t at = f.lane.pending.size;
    tk_uw_blob(&f.lane, &text, 1, "data", 4);
    const uint32_t wrong = (uint32_t)((4 + behind + over) << 13 | 1 << 8 | 2);
    for (unsigned i = 0; i < 4; i++)
        f.lane.pending.data[at + i] = (uint8_t)(wrong >> 8 * i);
}

/* A wrong size that leads over events of the next packet, to where a record begins: to one behind which its
 * data does not end; or to the data of another event, whose end would be its own. */
START_TEST(data_leads_over_events)
{
    for (unsigned closed = 0; closed < 2; closed++) {
        open_lane(7);
        put_text(&text, 9, "more");
        const size_t one = f.lane.pending.size;
        begin_text(&text, 9);
        const size_t head = f.lane.pending.size - one;
        open_lane(7);
        put_tick(&tick, 1);
        begin_text(&text, 1);
        put_long_data(1, closed ? 2 * one + head : one);
        tk_uw_end(&f.lane, &text);
        const size_t cut = f.lane.pending.size;
        for (uint16_t i = 2; i < 5; i++)
            put_text(&text, i, "more");
        const char *reported = fed_in_pieces(&f, (const size_t[]){cut, 0});
        ck_assert_ptr_nonnull(strstr(reported, "Demo.Text A=2 Text=\"more\""));
        ck_assert_ptr_nonnull(strstr(reported, "Demo.Text A=3 Text=\"more\""));
        ck_assert_ptr_nonnull(strstr(reported, "Demo.Text A=4 Text=\"more\""));
        ck_assert_uint_eq(noted(TK_HEALTH_STREAM_BREAK), 1);
    }
}
END_TEST

/* Protocol 5: what goes on with a value cannot begin a lane, nor come behind a break (wire 2.5, 9.2). */
START_TEST(partial_payloads)
{
    struct tk_ut_lane lane = {.tid = 2};
    open_lane(5);
    put_tick(&tick, 1);
    struct tk_ut_payload payload = {
        .p = f.lane.pending.data, .n = f.lane.pending.size, .offset = 100, .partial = true};
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    ck_assert_uint_eq(f.reported.n, 0);
    ck_assert_uint_eq(noted(TK_HEALTH_PACKET_ORPHAN), 1);
    payload.partial = false;
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    payload.partial = true;
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    check_text(f.reported.text, "Demo.Tick N=1\nDemo.Tick N=1\n");
    ck_assert_int_eq(tk_ut_lane_break(&f.decoder, &lane, 500, "bytes are missing"), TK_OK);
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    check_text(f.reported.text, "Demo.Tick N=1\nDemo.Tick N=1\ncut\n");
    ck_assert_uint_eq(noted(TK_HEALTH_PACKET_ORPHAN), 2);
    tk_ut_lane_release(&lane);
}
END_TEST

/* A lane that ends inside a record: damage, but only a notice where the file is cut. */
START_TEST(ends_inside)
{
    for (int truncated = 0; truncated < 2; truncated++) {
        struct tk_ut_lane lane = {.tid = 2};
        open_lane(7);
        put_tick(&tick, 1);
        fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size - 1, 100);
        ck_assert_int_eq(tk_ut_lane_finish(&f.decoder, &lane, truncated), TK_OK);
        ck_assert_int_eq(noted(TK_HEALTH_FILE_TRUNCATED) == 1, truncated);
        ck_assert_int_eq(noted(TK_HEALTH_EVENT_DAMAGED) == 1, !truncated);
        ck_assert_uint_eq(f.reported.n, 0);
        tk_ut_lane_release(&lane);
    }
}
END_TEST

/* A blob that would not end within the limit is given up. */
START_TEST(endless_blob)
{
    static uint8_t filler[5000];
    struct tk_ut_lane lane = {.tid = 2};
    f.limits.event_bytes = 20000;
    begin_text(&note, 1);
    tk_uw_u32(&f.lane.pending, (uint32_t)(500000u << 13 | 1 << 8 | 2));
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size, 0);
    for (uint64_t i = 1; i < 5; i++)
        fed_payload(&f, &lane, filler, sizeof filler, i * 10000);
    check_text(f.reported.text, "Demo.Note A=1 Text=\"\" Data=[] incomplete\ncut\n");
    ck_assert_uint_eq(noted(TK_HEALTH_LIMIT_REACHED), 1);
    tk_ut_lane_release(&lane);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        reserved_codes,        undeclared,       broken,      end_of_data_missing, cut_data,
        event_of_data_missing, partial_payloads, ends_inside, endless_blob,        divided_value,
        data_leads_over_events};
    return RUN_TESTS_AROUND("utrace lane, damaged", tests, lane_begin, lane_end);
}
