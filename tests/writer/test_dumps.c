/* The worked dumps (wire B), rebuilt through the interface of lanes. */
#include "dumps.h"
#include "test_fixture.h"

static void put_header(struct fixture *fix, bool guids, uint8_t transport, uint8_t protocol)
{
    static const uint8_t port[] = {0xc1, 0x07};
    struct tk_uw_bytes block = {0};

    tk_uw_metadata(&block, 0, port, sizeof(port));
    for (uint8_t id = 1; guids && id <= 2; id++) {
        uint8_t guid[16];

        for (uint8_t i = 0; i < 16; i++)
            guid[i] = (uint8_t)(id * 16 + i);
        tk_uw_metadata(&block, id, guid, sizeof(guid));
    }
    tk_uw_header(&fix->sink, TK_UW_2CRT, &block, transport, protocol);
    tk_uw_bytes_release(&block);
}

static const struct tk_uw_field timing_fields[] = {{.name = "BaseTimestamp", .type = TK_UW_U64}};
static const struct tk_uw_type timing = {.logger = "$Trace",
                                         .event = "ThreadTiming",
                                         .flags = TK_UW_NOSYNC,
                                         .uid = 17,
                                         TK_UW_FIELDS(timing_fields)};

static void put_timing(struct tk_uw_lane *lane, uint64_t base)
{
    tk_uw_begin(lane, &timing);
    tk_uw_u64(&lane->pending, base);
    tk_uw_end(lane, &timing);
    lane->stamp = base;
}

/* B.1 */

static const struct tk_uw_field b1_str_fields[] = {
    {.name = "Text", .type = TK_UW_WIDE},
    {.type = TK_UW_U32, .family = TK_UW_DEFINITION_ID},
};
static const struct tk_uw_type b1_str = {.logger = "Demo",
                                         .event = "Str",
                                         .flags = TK_UW_AUX | TK_UW_NOSYNC | TK_UW_DEFINITION,
                                         .uid = 19,
                                         TK_UW_FIELDS(b1_str_fields)};
static const struct tk_uw_field b1_hit_fields[] = {
    {.name = "Value", .type = TK_UW_F32},
    {.name = "Name", .type = TK_UW_U32, .family = TK_UW_REFERENCE, .refers_to = 19},
    {.name = "Data", .type = TK_UW_U16S},
};
static const struct tk_uw_type b1_hit = {
    .logger = "Demo", .event = "Hit", .flags = TK_UW_AUX, .uid = 20, TK_UW_FIELDS(b1_hit_fields)};

static void b1_declare(struct fixture *fix, struct tk_uw_type *trace, struct tk_uw_type *info)
{
    struct tk_uw_lane news;

    *trace = *tk_uw_standard_type(TK_UW_NEW_TRACE);
    trace->uid = 16;
    *info = *tk_uw_standard_type(TK_UW_THREAD_INFO);
    info->uid = 18;
    tk_uw_lane_init(&news, &fix->stream, TK_UW_TID_NEWS);
    tk_uw_declare(&news, trace);
    tk_uw_declare(&news, &timing);
    tk_uw_declare(&news, info);
    tk_uw_declare(&news, &b1_str);
    tk_uw_declare(&news, &b1_hit);
    send_lane(&news);
}

static void b1_importants(struct fixture *fix, const struct tk_uw_type *trace, const struct tk_uw_type *info)
{
    struct tk_uw_lane lane;

    tk_uw_lane_init(&lane, &fix->stream, TK_UW_TID_IMPORTANT);
    tk_uw_begin(&lane, trace);
    tk_uw_u64(&lane.pending, 1000000);
    tk_uw_u64(&lane.pending, 10000000);
    tk_uw_u16(&lane.pending, 0x524d);
    tk_uw_u8(&lane.pending, 8);
    tk_uw_end(&lane, trace);
    tk_uw_begin(&lane, info);
    tk_uw_u32(&lane.pending, 2);
    tk_uw_u32(&lane.pending, 4242);
    tk_uw_u32(&lane.pending, (uint32_t)-1);
    tk_uw_value(&lane, info, 3, "GameThread", 11);
    tk_uw_end(&lane, info);
    send_lane(&lane);
}

static void b1_hit_event(struct tk_uw_lane *lane, uint32_t serial, float value, const void *data, size_t size)
{
    tk_uw_begin_serial(lane, &b1_hit, serial);
    tk_uw_f32(&lane->pending, value);
    tk_uw_u32(&lane->pending, 7);
    tk_uw_value(lane, &b1_hit, 2, data, size);
    tk_uw_end(lane, &b1_hit);
}

static void b1_threads(struct fixture *fix)
{
    static const uint8_t text[] = {0x48, 0x00, 0xe9, 0x00};
    static const uint8_t data[] = {1, 0, 2, 0, 3, 0};
    struct tk_uw_lane lane;

    tk_uw_lane_init(&lane, &fix->stream, 3);
    put_timing(&lane, 800);
    b1_hit_event(&lane, 43, 2.0F, NULL, 0);
    send_lane(&lane);
    tk_uw_lane_init(&lane, &fix->stream, 2);
    put_timing(&lane, 500);
    tk_uw_begin(&lane, &b1_str);
    tk_uw_u32(&lane.pending, 7);
    tk_uw_value(&lane, &b1_str, 0, text, sizeof(text));
    tk_uw_end(&lane, &b1_str);
    tk_uw_enter_at(&lane, 12345);
    b1_hit_event(&lane, 42, 1.5F, data, sizeof(data));
    tk_uw_leave_at(&lane, 12999);
    send_lane(&lane);
}

START_TEST(test_dump_b1)
{
    struct fixture fix;
    struct tk_uw_type trace, info;

    open_stream(&fix, 4, 7);
    put_header(&fix, true, 4, 7);
    b1_declare(&fix, &trace, &info);
    b1_importants(&fix, &trace, &info);
    b1_threads(&fix);
    for (int i = 0; i < 3; i++)
        tk_uw_sync(&fix.stream.packets);
    expect(&fix, dump_b1, sizeof(dump_b1));
}
END_TEST

/* B.2 */

static const struct tk_uw_field b2_trace_fields[] = {
    {.name = "StartCycle", .type = TK_UW_U64},
    {.name = "CycleFrequency", .type = TK_UW_U64},
};
static const struct tk_uw_type b2_trace = {.logger = "$Trace",
                                           .event = "NewTrace",
                                           .flags = TK_UW_IMPORTANT | TK_UW_NOSYNC,
                                           .uid = 16,
                                           TK_UW_FIELDS(b2_trace_fields)};
static const struct tk_uw_field b2_work_fields[] = {{.name = "Kind", .type = TK_UW_U8}};
static const struct tk_uw_type b2_work = {
    .logger = "Demo", .event = "Work", .uid = 18, TK_UW_FIELDS(b2_work_fields)};

static void b2_open(struct fixture *fix)
{
    struct tk_uw_lane lane;

    tk_uw_lane_init(&lane, &fix->stream, TK_UW_TID_NEWS);
    tk_uw_declare(&lane, &b2_trace);
    tk_uw_declare(&lane, &timing);
    tk_uw_declare(&lane, &b2_work);
    send_lane(&lane);
    tk_uw_lane_init(&lane, &fix->stream, TK_UW_TID_IMPORTANT);
    tk_uw_begin(&lane, &b2_trace);
    tk_uw_u64(&lane.pending, 5000);
    tk_uw_u64(&lane.pending, 1000);
    tk_uw_end(&lane, &b2_trace);
    send_lane(&lane);
}

START_TEST(test_dump_b2)
{
    static const uint64_t times[][2] = {{150, 175}, {180, 181}};
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 4, 5);
    put_header(&fix, false, 4, 5);
    b2_open(&fix);
    tk_uw_lane_init(&lane, &fix.stream, 2);
    put_timing(&lane, 100);
    fix.stream.serial = 0xffffff;
    for (uint8_t i = 0; i < 2; i++) {
        tk_uw_enter_at(&lane, times[i][0]);
        tk_uw_begin(&lane, &b2_work);
        tk_uw_u8(&lane.pending, (uint8_t)(7 + i));
        tk_uw_end(&lane, &b2_work);
        tk_uw_leave_at(&lane, times[i][1]);
    }
    send_lane(&lane);
    tk_uw_sync(&fix.stream.packets);
    expect(&fix, dump_b2, sizeof(dump_b2));
}
END_TEST

/* B.3 */

static const struct tk_uw_field b3_trace_fields[] = {
    {.name = "StartCycle", .type = TK_UW_U64}, {.name = "CycleFrequency", .type = TK_UW_U64},
    {.name = "Serial", .type = TK_UW_U32},     {.name = "UserUidBias", .type = TK_UW_U16},
    {.name = "FeatureSet", .type = TK_UW_U8},
};
static const struct tk_uw_type b3_trace = {
    .logger = "$Trace", .event = "NewTrace", .flags = TK_UW_NOSYNC, .uid = 5, TK_UW_FIELDS(b3_trace_fields)};
static const struct tk_uw_type b3_sync = {
    .logger = "$Trace", .event = "SerialSync", .flags = TK_UW_NOSYNC, .uid = 6};
static const struct tk_uw_field b3_str_fields[] = {
    {.name = "Id", .type = TK_UW_U16},
    {.name = "Text", .type = TK_UW_ANSI},
};

static void b3_open(struct fixture *fix, const struct tk_uw_type *str)
{
    struct tk_uw_lane lane;

    tk_uw_lane_init(&lane, &fix->stream, TK_UW_TID_NEWS);
    tk_uw_declare(&lane, &b3_trace);
    tk_uw_declare(&lane, &b3_sync);
    tk_uw_declare(&lane, str);
    send_lane(&lane);
    tk_uw_lane_init(&lane, &fix->stream, TK_UW_TID_IMPORTANT);
    tk_uw_begin(&lane, &b3_trace);
    tk_uw_u64(&lane.pending, 9000);
    tk_uw_u64(&lane.pending, 1000);
    tk_uw_u32(&lane.pending, 0x10);
    tk_uw_u16(&lane.pending, 5);
    tk_uw_u8(&lane.pending, 1);
    tk_uw_end(&lane, &b3_trace);
    send_lane(&lane);
}

START_TEST(test_dump_b3)
{
    const struct tk_uw_type str = {
        .logger = "Demo", .event = "Str", .flags = TK_UW_AUX, .uid = 7, TK_UW_FIELDS(b3_str_fields)};
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 3, 4);
    put_header(&fix, false, 3, 4);
    b3_open(&fix, &str);
    tk_uw_lane_init(&lane, &fix.stream, 2);
    tk_uw_begin_serial(&lane, &str, 0x11);
    tk_uw_u16(&lane.pending, 1);
    tk_uw_value(&lane, &str, 1, "abc", 3);
    tk_uw_end(&lane, &str);
    send_lane(&lane);
    tk_uw_lane_init(&lane, &fix.stream, TK_UW_TID_IMPORTANT);
    tk_uw_begin(&lane, &b3_sync);
    tk_uw_end(&lane, &b3_sync);
    send_lane(&lane);
    expect(&fix, dump_b3, sizeof(dump_b3));
}
END_TEST

/* B.4 */

static const struct tk_uw_field b4_fields[] = {
    {.name = "Id", .type = TK_UW_U32},
    {.name = "Blob", .type = TK_UW_U8S},
};
static const struct tk_uw_type b4_hit = {
    .logger = "Demo", .event = "Hit", .flags = TK_UW_AUX, .uid = 1, TK_UW_FIELDS(b4_fields)};

START_TEST(test_dump_b4)
{
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 3, 1);
    tk_uw_header(&fix.sink, TK_UW_ECRT, NULL, 3, 1);
    tk_uw_lane_init(&lane, &fix.stream, TK_UW_TID_IMPORTANT);
    tk_uw_declare(&lane, &b4_hit);
    send_lane(&lane);
    tk_uw_lane_init(&lane, &fix.stream, 2);
    tk_uw_begin(&lane, &b4_hit);
    tk_uw_u32(&lane.pending, 99);
    tk_uw_value(&lane, &b4_hit, 1, "\xde\xad", 2);
    tk_uw_end(&lane, &b4_hit);
    send_lane(&lane);
    expect(&fix, dump_b4, sizeof(dump_b4));
}
END_TEST

/* B.5 */

static const struct tk_uw_field b5_fields[] = {{.name = "Id", .type = TK_UW_U16}};
static const struct tk_uw_type b5_msg = {
    .logger = "Demo", .event = "Msg", .flags = TK_UW_IMPORTANT, .uid = 1, TK_UW_FIELDS(b5_fields)};

static void b5_declare(struct tk_uw_lane *lane)
{
    tk_uw_declare(lane, &b5_msg);
}

static void b5_event(struct tk_uw_lane *lane)
{
    tk_uw_begin(lane, &b5_msg);
    tk_uw_u16(&lane->pending, 5);
    tk_uw_value(lane, &b5_msg, 1, "hi", 3);
    tk_uw_end(lane, &b5_msg);
}

START_TEST(test_dump_b5_raw)
{
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 1, 0);
    tk_uw_header(&fix.sink, TK_UW_BARE, NULL, 1, 0);
    tk_uw_lane_init(&lane, &fix.stream, 0);
    b5_declare(&lane);
    b5_event(&lane);
    send_lane(&lane);
    expect(&fix, dump_b5_raw, sizeof(dump_b5_raw));
}
END_TEST

START_TEST(test_dump_b5_packets)
{
    void (*const content[])(struct tk_uw_lane *) = {b5_event, b5_declare, b5_event};
    static const uint16_t numbers[] = {0, 1, 0};
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 2, 0);
    tk_uw_header(&fix.sink, TK_UW_ECRT, NULL, 2, 0);
    tk_uw_lane_init(&lane, &fix.stream, 0);
    for (unsigned i = 0; i < 3; i++) {
        content[i](&lane);
        tk_uw_packet(&fix.stream.packets, numbers[i], lane.pending.data, lane.pending.size);
        tk_uw_bytes_clear(&lane.pending);
    }
    tk_uw_lane_release(&lane);
    expect(&fix, dump_b5_packets, sizeof(dump_b5_packets));
}
END_TEST

TCase *dump_tests(void)
{
    TCase *group = tcase_create("dumps");

    tcase_add_test(group, test_dump_b1);
    tcase_add_test(group, test_dump_b2);
    tcase_add_test(group, test_dump_b3);
    tcase_add_test(group, test_dump_b4);
    tcase_add_test(group, test_dump_b5_raw);
    tcase_add_test(group, test_dump_b5_packets);
    return group;
}
