/*
 * Lanes of protocols 0 to 4: every record kind, fed whole, byte by byte and cut in two at every byte
 * (wire 3.2 to 3.4).
 */
#include "format/utrace/fed_events.h"

static const struct tk_uw_field tick_fields[] = {{.name = "N", .type = TK_UW_U32}};
static const struct tk_uw_field text_fields[] = {{.name = "A", .type = TK_UW_U16},
                                                 {.name = "Text", .type = TK_UW_ANSI}};
static const struct tk_uw_field time_fields[] = {{.name = "BaseTimestamp", .type = TK_UW_U64}};
static const struct tk_uw_field trace_fields[] = {{.name = "UserUidBias", .type = TK_UW_U16}};

static struct tk_uw_type tick = {
    .logger = "Demo", .event = "Tick", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC};
static struct tk_uw_type tock = {.logger = "Demo", .event = "Tock", TK_UW_FIELDS(tick_fields)};
static struct tk_uw_type text = {
    .logger = "Demo", .event = "Text", TK_UW_FIELDS(text_fields), .flags = TK_UW_AUX};
static struct tk_uw_type mark = {.logger = "Demo",
                                 .event = "Mark",
                                 TK_UW_FIELDS(text_fields),
                                 .flags = TK_UW_AUX | TK_UW_NOSYNC | TK_UW_IMPORTANT};
static struct tk_uw_type work = {
    .logger = "Cpu", .event = "Work", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC};
static struct tk_uw_type timing = {
    .logger = "$Trace", .event = "ThreadTiming", TK_UW_FIELDS(time_fields), .flags = TK_UW_NOSYNC};
static struct tk_uw_type trace = {
    .logger = "$Trace", .event = "NewTrace", TK_UW_FIELDS(trace_fields), .flags = TK_UW_NOSYNC};

static struct tk_uw_type *const types[] = {&tick, &tock, &text, &mark, &work, &timing, &trace};

/* Uids from `first` on. */
static void open_lane(uint8_t protocol)
{
    fed_again(protocol, 2);
    for (uint16_t i = 0; i < sizeof types / sizeof *types; i++) {
        types[i]->uid = (uint16_t)((protocol == 4 ? 5 : 1) + i);
        fed_declare(&f, types[i]);
    }
}

START_TEST(events)
{
    for (uint8_t protocol = 1; protocol <= 4; protocol++) {
        open_lane(protocol);
        f.stream.serial = 0x010203;
        put_tick(&tick, 1);
        put_tick(&tock, 2);
        put_text(&text, 3, "abc");
        put_text(&text, 4, "");
        put_text(&mark, 5, "important");
        put_tick(&tick, 6);
        fed_check(&f,
                  protocol == 1
                      ? "Demo.Tick N=1\n#515 Demo.Tock N=2\n#516 Demo.Text A=3 Text=\"abc\"\n"
                        "#517 Demo.Text A=4 Text=\"\"\nDemo.Mark A=5 Text=\"important\"\nDemo.Tick N=6\n"
                      : "Demo.Tick N=1\n#66051 Demo.Tock N=2\n#66052 Demo.Text A=3 Text=\"abc\"\n"
                        "#66053 Demo.Text A=4 Text=\"\"\nDemo.Mark A=5 Text=\"important\"\nDemo.Tick N=6\n");
        ck_assert_uint_eq(f.health.n_items, 0);
    }
}
END_TEST

/* The bytes of wire 3.3 and 3.4. */
START_TEST(by_hand)
{
    open_lane(1);
    FED_RAW(&f, "\x02\x00\x04\x00\x34\x12\x44\x33\x22\x11");
    FED_RAW(&f, "\x02\x80\x04\x00\x35\x12\x01\x00\x00\x00"); /* bit 15 does not belong to the uid */
    fed_check(&f, "#4660 Demo.Tock N=287454020\n#4661 Demo.Tock N=1\n");
    open_lane(3);
    FED_RAW(&f, "\x03\x00\x02\x00\xFE\xFF\x00\x07\x00\x81\x05\x00\x00hello\x00");
    FED_RAW(&f, "\x03\x00\x02\x00\xFF\xFF\x00\x07\x00\x81\x02\x00\x00he\x81\x01\x00\x00y\x00");
    fed_check(&f, "#65534 Demo.Text A=7 Text=\"hello\"\n#65535 Demo.Text A=7 Text=\"hey\"\n");
    open_lane(4);
    FED_RAW(&f, "\x0B\x00\x04\x00\x4D\x00\x00\x00");
    FED_RAW(&f, "\x0D\x00\x04\x00\x03\x02\x01\xEF\xBE\x00\x00");
    FED_RAW(&f, "\x0A\x04\x00\x01\x00\x00\x00"); /* the uid in one byte */
    fed_check(&f, "Demo.Tick N=77\n#66051 Demo.Tock N=48879\nDemo.Tick N=1\n");
}
END_TEST

/* Bytes behind the fixed part are the attachment; a short fixed part reads as far as it goes. */
START_TEST(attachments)
{
    for (uint8_t protocol = 2; protocol <= 3; protocol++) {
        open_lane(protocol);
        FED_RAW(&f, "\x01\x00\x07\x00\x01\x00\x00\x00xyz");
        FED_RAW(&f, "\x01\x00\x02\x00\x01\x00");
        FED_RAW(&f, "\x03\x00\x04\x00\x01\x00\x00\x05\x00zz\x81\x01\x00\x00!\x00");
        FED_RAW(&f, "\x01\x00\x04\x00\x02\x00\x00\x00");
        fed_check(
            &f,
            "Demo.Tick N=1 +<78797a>\nDemo.Tick N=-\n#1 Demo.Text A=5 Text=\"!\" +<7a7a>\nDemo.Tick N=2\n");
    }
}
END_TEST

/* Protocol 4, important: the values lie inside the size, which rules; space behind the terminal is passed
 * over. */
START_TEST(important_inside)
{
    open_lane(4);
    FED_RAW(&f, "\x11\x00\x0E\x00\x01\x00\x81\x03\x00\x00"
                "abc\x00zzzz");
    FED_RAW(&f, "\x11\x00\x09\x00\x02\x00\x81\x03\x00\x00xyz");    /* no terminal */
    FED_RAW(&f, "\x11\x00\x08\x00\x03\x00\x81\x30\x00\x00xy");     /* a value that does not fit */
    FED_RAW(&f, "\x11\x00\x02\x00\x04\x00\x81\x02\x00\x00ok\x00"); /* the size leaves the values out */
    put_tick(&tick, 9);
    fed_check(&f, "Demo.Mark A=1 Text=\"abc\"\nDemo.Mark A=2 Text=\"xyz\" incomplete\nDemo.Mark A=3 "
                  "Text=\"\" incomplete\n"
                  "Demo.Mark A=4 Text=\"ok\"\nDemo.Tick N=9\n");
}
END_TEST

/* A value of more than 64 KiB: the count has 24 bits. */
START_TEST(large_value)
{
    static char data[200001];
    struct lines expected = {0};
    memset(data, 'x', sizeof data - 1);
    open_lane(3);
    put_text(&text, 1, data);
    put_tick(&tick, 2);
    add_line(&expected, "#0 Demo.Text A=1 Text=\"%s\"\nDemo.Tick N=2\n", data);
    ck_assert_str_eq(fed_whole(&f), expected.text);
    ck_assert_str_eq(fed_in_pieces(&f, (const size_t[]){8, 9, 4000, 70000, 70001, 199999, 0}), expected.text);
    release_lines(&expected);
}
END_TEST

/* A blob names its field with 7 bits. */
START_TEST(many_fields)
{
    struct tk_uw_field fields[128];
    struct tk_uw_type many = {
        .logger = "A", .event = "B", TK_UW_FIELDS(fields), .flags = TK_UW_AUX | TK_UW_NOSYNC, .uid = 40};
    for (size_t i = 0; i < 128; i++)
        fields[i] = (struct tk_uw_field){.name = "f", .type = i % 64 == 63 ? TK_UW_ANSI : TK_UW_U8};
    open_lane(3);
    fed_declare(&f, &many);
    tk_uw_begin(&f.lane, &many);
    for (size_t i = 0; i < 126; i++)
        tk_uw_u8(&f.lane.pending, 0);
    tk_uw_blob(&f.lane, &many, 127, "last", 4);
    tk_uw_blob(&f.lane, &many, 63, "middle", 6);
    tk_uw_end(&f.lane, &many);
    const char *reported = fed_whole(&f);
    ck_assert_ptr_nonnull(strstr(reported, " f=0 f=\"middle\" f=0"));
    ck_assert_ptr_nonnull(strstr(reported, " f=0 f=\"last\"\n"));
}
END_TEST

/* An aux byte that is neither 0 nor above 0x7F is damage (wire 3.3). */
START_TEST(wrong_aux)
{
    open_lane(3);
    put_tick(&tick, 1);
    FED_RAW(&f, "\x03\x00\x02\x00\x01\x00\x00\x05\x00\x81\x01\x00\x00!\x11\x00\x00\x00");
    size_t cut = f.lane.pending.size;
    put_tick(&tick, 2);
    check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}), "Demo.Tick N=1\ncut\nDemo.Tick N=2\n");
    ck_assert_uint_eq(noted(TK_HEALTH_STREAM_BREAK), 1);
    ck_assert_ptr_nonnull(strstr(f.health.items[0].text, " 17 "));
}
END_TEST

/* ---- declarations on the lane ---- */

/* Taken where they stand; synchronised in protocols 1 and 2. */
START_TEST(declared)
{
    for (uint8_t protocol = 0; protocol <= 4; protocol++) {
        tick.uid = 7;
        fed_again(protocol, 2);
        f.decoder.declare = true;
        f.handler.skip_serial = fed_skip;
        f.stream.serial = 41;
        tk_uw_declare(&f.lane, &tick);
        put_tick(&tick, 1);
        /* protocol 0 has no flags: there it is the same */
        check_text(fed_whole(&f),
                   protocol == 1 || protocol == 2 ? "skip 41\nDemo.Tick N=1\n" : "Demo.Tick N=1\n");
        size_t n = f.lane.pending.size;
        for (size_t cut = 1; cut < n; cut++)
            check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}),
                       protocol == 1 || protocol == 2 ? "skip 41\nDemo.Tick N=1\n" : "Demo.Tick N=1\n");
    }
}
END_TEST

/* A lane that meets an undeclared uid waits for the declaration, which another lane brings. */
START_TEST(waiting)
{
    for (uint8_t protocol = 1; protocol <= 4; protocol++) {
        struct tk_ut_lane lane = {.tid = 2};
        fed_again(protocol, 2);
        f.decoder.wait = true;
        tick.uid = 5;
        tock.uid = 6;
        put_tick(&tick, 1);
        put_tick(&tock, 2);
        put_tick(&tick, 3);
        fed_payload(&f, &lane, f.lane.pending.data, 9, 100);
        fed_payload(&f, &lane, f.lane.pending.data + 9, f.lane.pending.size - 9, 109);
        ck_assert_uint_eq(f.reported.n, 0);
        ck_assert_int_eq(tk_ut_lane_retry(&f.decoder, &lane), TK_OK);
        ck_assert_uint_eq(f.reported.n, 0);
        fed_declare(&f, &tick);
        ck_assert_int_eq(tk_ut_lane_retry(&f.decoder, &lane), TK_OK);
        check_text(f.reported.text, "Demo.Tick N=1\n");
        fed_declare(&f, &tock);
        ck_assert_int_eq(tk_ut_lane_retry(&f.decoder, &lane), TK_OK);
        check_text(f.reported.text, "Demo.Tick N=1\n#0 Demo.Tock N=2\nDemo.Tick N=3\n");
        ck_assert_uint_eq(f.health.n_items, 0);
        tk_ut_lane_release(&lane);
    }
}
END_TEST

/* Events of a uid that is not declared are stepped over by their sizes, with or without a number. */
START_TEST(undeclared)
{
    for (uint8_t protocol = 1; protocol <= 4; protocol++)
        for (unsigned unsynced = 0; unsynced < 2; unsynced++) {
            open_lane(protocol);
            struct tk_uw_type unknown = tick;
            unknown.uid = 100;
            unknown.flags = unsynced ? TK_UW_NOSYNC : 0;
            put_tick(&tick, 1);
            put_tick(&unknown, 2);
            put_tick(&unknown, 2);
            put_tick(&tick, 3);
            put_tick(&unknown, 2);
            size_t cut = f.lane.pending.size;
            put_tick(&tick, 4);
            check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}),
                       "Demo.Tick N=1\nDemo.Tick N=3\nDemo.Tick N=4\n");
            ck_assert_uint_eq(noted(TK_HEALTH_TYPE_UNDECLARED), 3);
        }
}
END_TEST

/* Where no size leads to another record the rest of the packet is given up. */
START_TEST(undeclared_size)
{
    for (uint8_t protocol = 1; protocol <= 4; protocol++) {
        open_lane(protocol);
        struct tk_uw_type unknown = tick;
        unknown.uid = 100;
        put_tick(&tick, 1);
        size_t at = f.lane.pending.size;
        put_tick(&unknown, 2);
        f.lane.pending.data[at + 2] ^= 0x40; /* its size */
        put_tick(&tick, 3);
        size_t cut = f.lane.pending.size;
        put_tick(&tick, 4);
        check_text(fed_in_pieces(&f, (const size_t[]){cut, 0}), "Demo.Tick N=1\ncut\nDemo.Tick N=4\n");
        ck_assert_uint_eq(noted(TK_HEALTH_TYPE_UNDECLARED), 1);
    }
}
END_TEST

/* ---- protocol 0 ---- */

/* Wire 3.2: unknown uids are skipped by their size, bit 14 says that an event is important, bit 15 nothing.
 */
START_TEST(protocol_0)
{
    fed_again(0, 0);
    f.decoder.declare = true;
    FED_RAW(&f, "\x00\x00\x15\x00\x01\x00\x01\x00\x04\x03\x00\x00\x02\x00\x01\x02"
                "DemoMsgId");
    FED_RAW(&f, "\x01\x40\x05\x00\x05\x00hi\x00");
    FED_RAW(&f, "\x09\x00\x03\x00???");
    FED_RAW(&f, "\x01\x80\x02\x00\x06\x00");
    FED_RAW(&f, "\x01\x00\x00\x00");
    fed_check(&f, "Demo.Msg Id=5 +<686900>\nDemo.Msg Id=6\nDemo.Msg Id=-\n");
    ck_assert_uint_gt(noted(TK_HEALTH_TYPE_UNDECLARED), 0);
    ck_assert_uint_eq(noted(TK_HEALTH_STREAM_BREAK), 0);
}
END_TEST

/* ---- protocol 4: scopes and uids ---- */

START_TEST(scopes)
{
    open_lane(4);
    tk_uw_begin(&f.lane, &timing);
    tk_uw_u64(&f.lane.pending, 100);
    tk_uw_end(&f.lane, &timing);
    FED_RAW(&f, "\x04\x2C\x01\0\0\0\0\0"); /* 300 later */
    put_tick(&work, 1);
    FED_RAW(&f, "\x02");
    put_tick(&work, 2);
    FED_RAW(&f, "\x06");
    FED_RAW(&f, "\x08\x2D\0\0\0\0\0\0");
    fed_check(
        &f,
        "$Trace.ThreadTiming BaseTimestamp=100\nenter Cpu.Work 400\nCpu.Work N=1\nCpu.Work N=2\nleave 445\n");
}
END_TEST

/* Uids up to the bias are the protocol's own: 5, until NewTrace says another number. */
START_TEST(bias)
{
    fed_again(4, 2);
    tick.uid = 6;
    trace.uid = 5;
    fed_declare(&f, &tick);
    fed_declare(&f, &trace);
    tk_uw_begin(&f.lane, &trace);
    tk_uw_u16(&f.lane.pending, 6);
    tk_uw_end(&f.lane, &trace);
    put_tick(&tick, 1);
    FED_RAW(&f, "\x0B\x00\x04\x00\x01\x00\x00\x00"); /* uid 5 is now below the bias */
    check_text(fed_whole(&f), "$Trace.NewTrace UserUidBias=6\nDemo.Tick N=1\ncut\n");
    ck_assert_uint_eq(f.decoder.uid_bias, 6);
}
END_TEST

/* A NewTrace without the field: user events begin at 1. */
START_TEST(no_bias)
{
    struct tk_uw_type old = {
        .logger = "$Trace", .event = "NewTrace", TK_UW_FIELDS(tick_fields), .flags = TK_UW_NOSYNC, .uid = 5};
    fed_again(4, 2);
    tick.uid = 2;
    fed_declare(&f, &tick);
    fed_declare(&f, &old);
    put_tick(&old, 0);
    put_tick(&tick, 1);
    check_text(fed_whole(&f), "$Trace.NewTrace N=0\nDemo.Tick N=1\n");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        events,  by_hand,    attachments,     important_inside, large_value, many_fields, wrong_aux, declared,
        waiting, undeclared, undeclared_size, protocol_0,       scopes,      bias,        no_bias};
    return RUN_TESTS_AROUND("utrace lane, old protocols", tests, NULL, lane_end);
}
