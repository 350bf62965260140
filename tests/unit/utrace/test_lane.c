/*
 * Lanes of protocols 5 to 7: every record kind, fed whole, byte by byte and cut in two at every byte;
 * nesting; terminals that never come (wire 3.5).
 */
#include "lane_types.h"

#include "utrace/index.h"

/* ---- events ---- */

START_TEST(plain_events)
{
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        struct fed f;
        open_lane(&f, protocol);
        put_tick(&f, &tick, 1);
        f.stream.serial = 0xFFFFFF;
        put_tick(&f, &tock, 2);
        f.stream.serial = 0x010203;
        tk_uw_begin(&f.lane, &bare);
        tk_uw_end(&f.lane, &bare);
        put_tick(&f, &last, 0xFFFFFFFF);
        put_text(&f, &text, 3, "abc");
        put_text(&f, &note, 4, "");
        fed_check(&f, "Demo.Tick N=1\n"
                      "#16777215 Demo.Tock N=2\n"
                      "#66051 Demo.Bare\n"
                      "Demo.Last N=4294967295\n"
                      "#66052 Demo.Text A=3 Text=\"abc\" Data=[]\n"
                      "Demo.Note A=4 Text=\"\" Data=[]\n");
        ck_assert_uint_eq(f.health.n_items, 0);
        fed_close(&f);
    }
}
END_TEST

/* The bytes of wire 3.5, by hand: a u8 code for a uid is taken too. */
START_TEST(by_hand)
{
    struct fed f;
    open_lane(&f, 7);
    FED_RAW(&f, "\x20\x07\x00\x00\x00");                 /* uid 16 in one byte */
    FED_RAW(&f, "\x21\x00\x08\x00\x00\x00");             /* in two */
    FED_RAW(&f, "\x23\x00\x2A\x00\x01\x09\x00\x00\x00"); /* uid 17, serial 0x01002A */
    FED_RAW(&f, "\x27\x00\x05\x00\x02\x41\x00\x00hi\x02\x82\x00\x00\x01\x00\x02\x00\x06");
    fed_check(&f,
              "Demo.Tick N=7\nDemo.Tick N=8\n#65578 Demo.Tock N=9\nDemo.Note A=5 Text=\"hi\" Data=[1,2]\n");
    fed_close(&f);
}
END_TEST

/* tid 0x3FFE: serial numbers are there but mean nothing (wire 2.7). */
START_TEST(connection_lane)
{
    struct fed f;
    fed_open(&f, 7, TK_UT_TID_CONNECT);
    fed_declare(&f, &tock);
    fed_declare(&f, &text);
    f.stream.serial = 0;
    put_tick(&f, &tock, 5);
    put_text(&f, &text, 6, "x");
    fed_check(&f, "Demo.Tock N=5\nDemo.Text A=6 Text=\"x\" Data=[]\n");
    fed_close(&f);
}
END_TEST

START_TEST(several_blobs)
{
    struct fed f;
    open_lane(&f, 6);
    f.lane.blob_max = 3;
    begin_text(&f, &note, 1);
    tk_uw_value(&f.lane, &note, 2, "\1\0\2\0\3\0\4\0\5",
                9); /* elements cut in two, half an element left over */
    tk_uw_value(&f.lane, &note, 1, "hello, world", 12);
    tk_uw_blob(&f.lane, &note, 1, "", 0);
    tk_uw_value(&f.lane, &note, 2, "\0\6\0", 3);
    tk_uw_end(&f.lane, &note);
    fed_check(&f, "Demo.Note A=1 Text=\"hello, world\" Data=[1,2,3,4,5,6]\n");
    fed_close(&f);
}
END_TEST

/* A value of 300 000 bytes in pieces; blobs of up to 524 287 bytes. */
START_TEST(large_values)
{
    static const size_t sizes[] = {65536, 100000, 524287};
    static char data[524287];
    memset(data, 'x', sizeof data);
    for (size_t i = 0; i < 3; i++) {
        struct fed f;
        struct lines expected = {0};
        open_lane(&f, 7);
        f.lane.blob_max = i == 1 ? 4090 : 0;
        begin_text(&f, &note, 1);
        tk_uw_value(&f.lane, &note, 1, data, sizes[i]);
        tk_uw_end(&f.lane, &note);
        put_tick(&f, &tick, 2);
        add_line(&expected, "Demo.Note A=1 Text=\"%.*s\" Data=[]\nDemo.Tick N=2\n", (int)sizes[i], data);
        ck_assert_str_eq(fed_whole(&f), expected.text);
        size_t cuts[200] = {0};
        for (size_t k = 0; k < 150 && (k + 1) * 4000 < f.lane.pending.size; k++)
            cuts[k] = (k + 1) * 4000;
        ck_assert_str_eq(fed_in_pieces(&f, cuts), expected.text);
        release_lines(&expected);
        fed_close(&f);
    }
}
END_TEST

/* Blobs for fields that take none are left out, and told. */
START_TEST(wrong_blobs)
{
    struct fed f;
    open_lane(&f, 7);
    begin_text(&f, &note, 1);
    tk_uw_blob(&f.lane, &note, 0, "scalar", 6);
    tk_uw_blob(&f.lane, &note, 1, "ok", 2);
    tk_uw_blob(&f.lane, &note, 31, "far", 3);
    tk_uw_end(&f.lane, &note);
    ck_assert_str_eq(fed_whole(&f), "Demo.Note A=1 Text=\"ok\" Data=[]\n");
    ck_assert_uint_eq(noted(&f, TK_HEALTH_BLOB_ORPHAN), 2);
    fed_close(&f);
}
END_TEST

/* Field 31 is the last that a blob can name. */
START_TEST(last_field_with_blobs)
{
    struct tk_uw_field fields[33];
    struct tk_uw_type many = {
        .logger = "A", .event = "B", TK_UW_FIELDS(fields), .flags = TK_UW_AUX | TK_UW_NOSYNC, .uid = 40};
    struct fed f;
    for (size_t i = 0; i < 33; i++)
        fields[i] = (struct tk_uw_field){.name = "f", .type = i < 31 ? TK_UW_U8 : TK_UW_ANSI};
    open_lane(&f, 7);
    fed_declare(&f, &many);
    tk_uw_begin(&f.lane, &many);
    for (size_t i = 0; i < 31; i++)
        tk_uw_u8(&f.lane.pending, 0);
    tk_uw_blob(&f.lane, &many, 31, "yes", 3);
    tk_uw_end(&f.lane, &many);
    ck_assert_ptr_nonnull(strstr(fed_whole(&f), " f=0 f=\"yes\" f=\"\"\n"));
    fed_close(&f);
}
END_TEST

/* ---- nesting ---- */

/* The example of wire 3.5, then its rule: in the order in which the headers stand. */
START_TEST(nested)
{
    struct fed f;
    open_lane(&f, 7);
    begin_text(&f, &text, 1);
    tk_uw_blob(&f.lane, &text, 2, "\x11\x11", 2);
    put_tick(&f, &tick, 7);
    tk_uw_blob(&f.lane, &text, 2, "\x22\x22", 2);
    tk_uw_end(&f.lane, &text);
    put_tick(&f, &tock, 8);
    fed_check(&f, "#0 Demo.Text A=1 Text=\"\" Data=[4369,8738]\nDemo.Tick N=7\n#1 Demo.Tock N=8\n");
    fed_close(&f);
}
END_TEST

static void put_levels(struct fed *f, unsigned level)
{
    char name[] = {(char)('0' + level), '\0'};
    const struct tk_uw_type *type = level % 2 ? &text : &note;
    begin_text(f, type, (uint16_t)level);
    tk_uw_blob(&f->lane, type, 1, name, 1);
    put_tick(f, &tick, 10 + level);
    if (level < 5)
        put_levels(f, level + 1);
    tk_uw_blob(&f->lane, type, 1, "!", 1);
    put_tick(f, &tock, 20 + level);
    tk_uw_end(&f->lane, type);
}

START_TEST(five_levels)
{
    struct fed f;
    open_lane(&f, 6);
    put_levels(&f, 1);
    put_tick(&f, &tick, 99);
    fed_check(
        &f, "#0 Demo.Text A=1 Text=\"1!\" Data=[]\nDemo.Tick N=11\n"
            "Demo.Note A=2 Text=\"2!\" Data=[]\nDemo.Tick N=12\n"
            "#1 Demo.Text A=3 Text=\"3!\" Data=[]\nDemo.Tick N=13\n"
            "Demo.Note A=4 Text=\"4!\" Data=[]\nDemo.Tick N=14\n"
            "#2 Demo.Text A=5 Text=\"5!\" Data=[]\nDemo.Tick N=15\n"
            "#3 Demo.Tock N=25\n#4 Demo.Tock N=24\n#5 Demo.Tock N=23\n#6 Demo.Tock N=22\n#7 Demo.Tock N=21\n"
            "Demo.Tick N=99\n");
    fed_close(&f);
}
END_TEST

/* Nobody wants the outer event: what is inside comes all the same, with the serial of the outer one in its
 * place. */
START_TEST(nested_in_unwanted)
{
    struct fed f;
    open_lane(&f, 7);
    memset(f.want, 1, sizeof f.want);
    f.want[2] = 0; /* Demo.Text */
    f.want[1] = 0; /* Demo.Tock */
    f.decoder.n_want = sizeof types / sizeof *types;
    f.handler.skip_serial = fed_skip;
    put_tick(&f, &tock, 1);
    begin_text(&f, &text, 2);
    tk_uw_blob(&f.lane, &text, 1, "ab", 2);
    put_text(&f, &note, 3, "inside");
    put_tick(&f, &tock, 4);
    tk_uw_blob(&f.lane, &text, 1, "cd", 2);
    put_tick(&f, &tick, 5);
    tk_uw_end(&f.lane, &text);
    put_text(&f, &text, 6, "direct");
    put_tick(&f, &tick, 7);
    fed_check(&f, "skip 0\nskip 1\nDemo.Note A=3 Text=\"inside\" Data=[]\nskip 2\nDemo.Tick N=5\nskip "
                  "3\nDemo.Tick N=7\n");
    fed_close(&f);
}
END_TEST

/* Unwanted ones inside a wanted one leave only their serials, behind it. */
START_TEST(unwanted_in_nested)
{
    struct fed f;
    open_lane(&f, 7);
    memset(f.want, 0, sizeof f.want);
    f.want[2] = 1;
    f.decoder.n_want = sizeof types / sizeof *types;
    f.handler.skip_serial = fed_skip;
    begin_text(&f, &text, 2);
    tk_uw_blob(&f.lane, &text, 1, "ab", 2);
    put_tick(&f, &tock, 4);
    put_tick(&f, &tick, 5);
    tk_uw_blob(&f.lane, &text, 1, "cd", 2);
    tk_uw_end(&f.lane, &text);
    fed_check(&f, "#0 Demo.Text A=2 Text=\"abcd\" Data=[]\nskip 1\n");
    fed_close(&f);
}
END_TEST

/* ---- terminals that are lost ---- */

/* To the end: told with what is there, and what began inside. */
START_TEST(lost_at_the_end)
{
    struct fed f;
    open_lane(&f, 7);
    begin_text(&f, &text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    put_tick(&f, &tick, 2);
    fed_check(&f, "#0 Demo.Text A=1 Text=\"half\" Data=[] incomplete\nDemo.Tick N=2\n");
    ck_assert_uint_gt(noted(&f, TK_HEALTH_EVENT_INCOMPLETE), 0);
    fed_close(&f);
}
END_TEST

/* Later groups open and close inside; at the limit of records all is handed on and the lane goes on. */
START_TEST(lost_with_many_after)
{
    struct fed f;
    open_lane(&f, 7);
    f.limits.group_events = 100;
    begin_text(&f, &text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    for (uint32_t i = 0; i < 1000; i++) {
        put_tick(&f, &tick, i);
        put_text(&f, &note, (uint16_t)i, "n");
    }
    struct lines expected = {0};
    add_line(&expected, "#0 Demo.Text A=1 Text=\"half\" Data=[] incomplete\n");
    for (unsigned i = 0; i < 1000; i++)
        add_line(&expected, "Demo.Tick N=%u\nDemo.Note A=%u Text=\"n\" Data=[]\n", i, i);
    check_text(fed_whole(&f), expected.text);
    ck_assert_uint_eq(noted(&f, TK_HEALTH_EVENT_INCOMPLETE), 1);
    release_lines(&expected);
    fed_close(&f);
}
END_TEST

START_TEST(lost_with_many_bytes)
{
    static char data[1000];
    struct fed f;
    open_lane(&f, 7);
    f.limits.group_bytes = 10000;
    memset(data, 'y', sizeof data - 1);
    begin_text(&f, &text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    for (unsigned i = 0; i < 50; i++)
        put_text(&f, &note, (uint16_t)i, data);
    struct tk_ut_lane lane = {.tid = 2};
    add_line(&f.told, "%s", "");
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size, 0);
    ck_assert_ptr_nonnull(strstr(f.told.text, "incomplete"));
    ck_assert_ptr_nonnull(strstr(f.told.text, "A=49")); /* not only when the lane is finished */
    ck_assert_int_eq(tk_ut_lane_finish(&f.decoder, &lane, false), TK_OK);
    tk_ut_lane_release(&lane);
    fed_close(&f);
}
END_TEST

/* The beginning of a tail: data and ends without their event are passed over. */
START_TEST(orphans)
{
    struct fed f;
    open_lane(&f, 7);
    FED_RAW(&f, "\x06");
    FED_RAW(&f, "\x02\x41\x00\x00hi");
    FED_RAW(&f, "\x06");
    FED_RAW(&f, "\x0A");
    FED_RAW(&f, "\x12\1\2\3\4\5\6\7");
    put_tick(&f, &tick, 1);
    fed_check(&f, "Demo.Tick N=1\n");
    ck_assert_uint_eq(noted(&f, TK_HEALTH_BLOB_ORPHAN) % 3, 0);
    ck_assert_uint_gt(noted(&f, TK_HEALTH_BLOB_ORPHAN), 0);
    ck_assert(!tk_health_damaged(&f.health));
    fed_close(&f);
}
END_TEST

/* ---- what cannot be read ---- */

/* Codes that a protocol has not: the rest of the packet is dropped, the next one is read. */
START_TEST(reserved_codes)
{
    static const uint8_t known[2][10] = {{0x02, 0x06, 0x08, 0x0A, 0x10, 0x18},
                                         {0x02, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12}};
    for (uint8_t protocol = 5; protocol <= 7; protocol++) {
        for (unsigned code = 0; code < 0x20; code += 2) {
            struct fed f;
            if (code && memchr(known[protocol == 7], (int)code, sizeof known[0]))
                continue;
            open_lane(&f, protocol);
            put_tick(&f, &tick, 1);
            tk_uw_u8(&f.lane.pending, (uint8_t)code);
            put_tick(&f, &tick, 2);
            size_t cut = f.lane.pending.size;
            put_tick(&f, &tick, 3);
            check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}), "Demo.Tick N=1\ncut\nDemo.Tick N=3\n");
            ck_assert_uint_eq(noted(&f, TK_HEALTH_STREAM_BREAK), 1);
            ck_assert_uint_eq(f.health.items[0].offset, 100);
            fed_close(&f);
        }
    }
}
END_TEST

START_TEST(undeclared)
{
    struct fed f;
    open_lane(&f, 7);
    put_tick(&f, &tick, 1);
    FED_RAW(&f, "\xC9\x00\x01\x02\x03\x04");
    put_tick(&f, &tick, 2);
    size_t cut = f.lane.pending.size;
    put_tick(&f, &tick, 3);
    check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}), "Demo.Tick N=1\ncut\nDemo.Tick N=3\n");
    ck_assert_uint_eq(noted(&f, TK_HEALTH_TYPE_UNDECLARED), 1);
    ck_assert_ptr_nonnull(strstr(f.health.items[0].text, "uid 100 at byte 6"));
    fed_close(&f);
}
END_TEST

/* A break in the middle of a record, of a group and of scopes: what began before is told, what was open is
 * lost. */
START_TEST(broken)
{
    struct fed f;
    struct tk_ut_lane lane = {.tid = 2};
    open_lane(&f, 7);
    tk_uw_enter_at(&f.lane, 5);
    put_tick(&f, &work, 1);
    begin_text(&f, &text, 1);
    tk_uw_blob(&f.lane, &text, 1, "half", 4);
    put_tick(&f, &tick, 2);
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size - 3, 100);
    ck_assert_int_eq(tk_ut_lane_break(&f.decoder, &lane, 500, "bytes are missing"), TK_OK);
    tk_uw_bytes_clear(&f.lane.pending);
    tk_uw_leave_at(&f.lane, 9);
    put_tick(&f, &tick, 3);
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size, 600);
    check_text(f.told.text, "enter Cpu.Work 5\nCpu.Work N=1\n#0 Demo.Text A=1 Text=\"half\" Data=[] "
                            "incomplete\ncut\nDemo.Tick N=3\n");
    ck_assert_uint_eq(noted(&f, TK_HEALTH_STREAM_BREAK), 1);
    tk_ut_lane_release(&lane);
    fed_close(&f);
}
END_TEST

/* Protocol 5: what goes on with a value cannot begin a lane, nor come behind a break (wire 2.5, 9.2). */
START_TEST(partial_payloads)
{
    struct fed f;
    struct tk_ut_lane lane = {.tid = 2};
    open_lane(&f, 5);
    put_tick(&f, &tick, 1);
    struct tk_ut_payload payload = {
        .p = f.lane.pending.data, .n = f.lane.pending.size, .offset = 100, .partial = true};
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    ck_assert_uint_eq(f.told.n, 0);
    ck_assert_uint_eq(noted(&f, TK_HEALTH_PACKET_ORPHAN), 1);
    payload.partial = false;
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    payload.partial = true;
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    check_text(f.told.text, "Demo.Tick N=1\nDemo.Tick N=1\n");
    ck_assert_int_eq(tk_ut_lane_break(&f.decoder, &lane, 500, "bytes are missing"), TK_OK);
    ck_assert_int_eq(tk_ut_lane_feed(&f.decoder, &lane, &payload), TK_OK);
    check_text(f.told.text, "Demo.Tick N=1\nDemo.Tick N=1\ncut\n");
    ck_assert_uint_eq(noted(&f, TK_HEALTH_PACKET_ORPHAN), 2);
    tk_ut_lane_release(&lane);
    fed_close(&f);
}
END_TEST

/* A lane that ends inside a record: damage, but only a notice where the file is cut. */
START_TEST(ends_inside)
{
    for (int truncated = 0; truncated < 2; truncated++) {
        struct fed f;
        struct tk_ut_lane lane = {.tid = 2};
        open_lane(&f, 7);
        put_tick(&f, &tick, 1);
        fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size - 1, 100);
        ck_assert_int_eq(tk_ut_lane_finish(&f.decoder, &lane, truncated), TK_OK);
        ck_assert_int_eq(noted(&f, TK_HEALTH_FILE_TRUNCATED) == 1, truncated);
        ck_assert_int_eq(noted(&f, TK_HEALTH_EVENT_DAMAGED) == 1, !truncated);
        ck_assert_uint_eq(f.told.n, 0);
        tk_ut_lane_release(&lane);
        fed_close(&f);
    }
}
END_TEST

/* A blob that would not end within the limit is given up. */
START_TEST(endless_blob)
{
    static uint8_t filler[5000];
    struct fed f;
    struct tk_ut_lane lane = {.tid = 2};
    open_lane(&f, 7);
    f.limits.event_bytes = 20000;
    begin_text(&f, &note, 1);
    tk_uw_u32(&f.lane.pending, (uint32_t)(500000u << 13 | 1 << 8 | 2));
    fed_payload(&f, &lane, f.lane.pending.data, f.lane.pending.size, 0);
    for (uint64_t i = 1; i < 5; i++)
        fed_payload(&f, &lane, filler, sizeof filler, i * 10000);
    check_text(f.told.text, "Demo.Note A=1 Text=\"\" Data=[] incomplete\ncut\n");
    ck_assert_uint_eq(noted(&f, TK_HEALTH_LIMIT_REACHED), 1);
    tk_ut_lane_release(&lane);
    fed_close(&f);
}
END_TEST

/* ---- counts ---- */

START_TEST(counts)
{
    struct fed f;
    uint64_t n[FED_TYPES] = {0}, bytes[FED_TYPES] = {0};
    open_lane(&f, 7);
    f.decoder.n_want = sizeof types / sizeof *types;
    f.decoder.counts = n;
    f.decoder.bytes = bytes;
    put_tick(&f, &tick, 1);
    put_tick(&f, &tick, 2);
    put_tick(&f, &tock, 3);
    put_text(&f, &note, 4, "abc");
    ck_assert_str_eq(fed_whole(&f), "");
    ck_assert_uint_eq(n[0], 2);
    ck_assert_uint_eq(bytes[0], 12);
    ck_assert_uint_eq(n[1], 1);
    ck_assert_uint_eq(bytes[1], 9);
    ck_assert_uint_eq(n[3], 1);
    ck_assert_uint_eq(bytes[3], 2 + 2 + 4 + 3 + 1);
    fed_close(&f);
}
END_TEST

/* ---- a type that changes (wire 3.10) ---- */

/* The packets at 100.. hold the old layout, those from 150 on the new one. */
START_TEST(redeclared)
{
    static const struct tk_uw_field wide[] = {{.name = "M", .type = TK_UW_U16}};
    struct tk_uw_type changed = tick;
    struct fed f;
    open_lane(&f, 7);
    put_tick(&f, &tick, 1);
    put_tick(&f, &tick, 2);
    ck_assert_uint_eq(f.lane.pending.size, 12);
    size_t cuts[] = {6, 12, 0};
    changed.fields = wide;
    fed_declare_at(&f, &changed, 112);
    FED_RAW(&f, "\x21\x00\x03\x00\x21\x00\x04\x00");
    check_text(fed_in_pieces(&f, cuts), "Demo.Tick N=1\nDemo.Tick N=2\nDemo.Tick M=3\nDemo.Tick M=4\n");
    ck_assert_uint_eq(noted(&f, TK_HEALTH_TYPE_REDECLARED), 1);
    fed_close(&f);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {plain_events,
                                  by_hand,
                                  connection_lane,
                                  several_blobs,
                                  large_values,
                                  wrong_blobs,
                                  last_field_with_blobs,
                                  nested,
                                  five_levels,
                                  nested_in_unwanted,
                                  unwanted_in_nested,
                                  lost_at_the_end,
                                  lost_with_many_after,
                                  lost_with_many_bytes,
                                  orphans,
                                  reserved_codes,
                                  undeclared,
                                  broken,
                                  partial_payloads,
                                  ends_inside,
                                  endless_blob,
                                  counts,
                                  redeclared};
    return RUN_TESTS("utrace lane", tests);
}
