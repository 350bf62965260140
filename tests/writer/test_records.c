/* Packets, events, scope records and where packets are cut, against samples of the papers (wire 2.4, 2.5, 3.2
 * to 3.6). */
#include "test_fixture.h"

#include <string.h>

static const struct tk_uw_field hit_fields[] = {
    {.name = "Value", .type = TK_UW_F32},
    {.name = "Name", .type = TK_UW_U32},
    {.name = "Data", .type = TK_UW_U16S},
};
static const struct tk_uw_type hit = {
    .logger = "Demo", .event = "Hit", .flags = TK_UW_AUX, .uid = 20, TK_UW_FIELDS(hit_fields)};
static const struct tk_uw_field text_fields[] = {
    {.name = "Id", .type = TK_UW_U16},
    {.name = "Text", .type = TK_UW_ANSI},
};

/* Packets */

START_TEST(test_packed_packet)
{
    static const uint8_t want[] = {0x15, 0x00, 0x05, 0x80, 0x90, 0x01, 0x4f, 0x41, 0x42, 0x43, 0x44,
                                   0x04, 0x00, 0xff, 0x75, 0x50, 0x44, 0x41, 0x42, 0x43, 0x44};
    struct fixture fix;
    char data[400];

    for (unsigned i = 0; i < sizeof(data); i++)
        data[i] = "ABCD"[i % 4];
    open_stream(&fix, 4, 7);
    fix.stream.packets.packing = TK_UW_AUTO;
    tk_uw_packet(&fix.stream.packets, 5, data, sizeof(data));
    expect(&fix, want, sizeof(want));
}
END_TEST

START_TEST(test_short_packet_stays_plain)
{
    struct fixture fix;
    uint8_t want[4 + 384] = {0x84, 0x01, 0x05, 0x00};

    open_stream(&fix, 4, 7);
    fix.stream.packets.packing = TK_UW_AUTO;
    tk_uw_packet(&fix.stream.packets, 5, want + 4, 384);
    expect(&fix, want, sizeof(want));
}
END_TEST

/* Bit 14 and a running number on all packets but those of tid 1 and syncs (wire 2.5). */
START_TEST(test_verified_packets)
{
    static const uint8_t want[] = {
        0x05, 0x00, 0x00, 0x40, 'a', 1, 0, 0, 0, 0, 0, 0, 0, 0x05, 0x00, 0x01, 0x00, 'b', /**/
        0x05, 0x00, 0x02, 0x40, 'c', 2, 0, 0, 0, 0, 0, 0, 0, 0x04, 0x00, 0xff, 0x3f};
    struct fixture fix;

    open_stream(&fix, 4, 7);
    fix.stream.packets.verify = true;
    tk_uw_packet(&fix.stream.packets, 0, "a", 1);
    tk_uw_packet(&fix.stream.packets, 1, "b", 1);
    tk_uw_packet(&fix.stream.packets, 2, "c", 1);
    tk_uw_sync(&fix.stream.packets);
    expect(&fix, want, sizeof(want));
}
END_TEST

/* Events */

static const struct tk_uw_field byte_field[] = {{.name = "B", .type = TK_UW_U8}};
static const struct tk_uw_type small = {
    .logger = "Demo", .event = "Small", .flags = TK_UW_NOSYNC, .uid = 21, TK_UW_FIELDS(byte_field)};

/* An event between the values of another one (wire 3.5). */
START_TEST(test_nested_event)
{
    static const uint8_t want[] = {0x1f, 0x00, 0x02, 0x00, /**/
                                   0x29, 0x00, 0x05, 0x00, 0x00, 0,    0,    0,    0,    7,    0,
                                   0,    0,                                                          /**/
                                   0x02, 0x42, 0x00, 0x00, 0x11, 0x11, 0x2b, 0x00, 0xee, 0x02, 0x42, /**/
                                   0x00, 0x00, 0x22, 0x22, 0x06};
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 4, 7);
    tk_uw_lane_init(&lane, &fix.stream, 2);
    tk_uw_begin_serial(&lane, &hit, 5);
    tk_uw_f32(&lane.pending, 0.0F);
    tk_uw_u32(&lane.pending, 7);
    tk_uw_value(&lane, &hit, 2, "\x11\x11", 2);
    tk_uw_begin(&lane, &small);
    tk_uw_u8(&lane.pending, 0xee);
    tk_uw_end(&lane, &small);
    tk_uw_value(&lane, &hit, 2, "\x22\x22", 2);
    tk_uw_end(&lane, &hit);
    send_lane(&lane);
    ck_assert_uint_eq(fix.file.size, sizeof(want));
    ck_assert_mem_eq(fix.file.data + 2, want + 2, sizeof(want) - 2);
    ck_assert_uint_eq(fix.file.data[0], sizeof(want));
    tk_uw_bytes_release(&fix.file);
}
END_TEST

/* The synchronised sample of protocol 4 and its scope records (wire 3.4). */
START_TEST(test_protocol_4_records)
{
    static const struct tk_uw_field fields[] = {{.name = "Frame", .type = TK_UW_U16}};
    static const struct tk_uw_type tick = {.logger = "Demo", .event = "Tick", .uid = 7, TK_UW_FIELDS(fields)};
    static const uint8_t want[] = {0x1d, 0x00, 0x02, 0x00,                      /**/
                                   0x04, 0x2c, 0x01, 0,    0,    0,    0,    0, /**/
                                   0x0f, 0x00, 0x02, 0x00, 0x03, 0x02, 0x01, 0xef, 0xbe,
                                   0x08, 0x2d, 0,    0,    0,    0,    0,    0};
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 3, 4);
    tk_uw_lane_init(&lane, &fix.stream, 2);
    tk_uw_enter_at(&lane, 300);
    tk_uw_begin_serial(&lane, &tick, 0x010203);
    tk_uw_u16(&lane.pending, 0xbeef);
    tk_uw_end(&lane, &tick);
    tk_uw_leave_at(&lane, 345);
    send_lane(&lane);
    expect(&fix, want, sizeof(want));
}
END_TEST

/* Protocol 4 counts the values of important types into the size (wire 3.4). */
START_TEST(test_protocol_4_important_size)
{
    static const struct tk_uw_type text = {.logger = "Demo",
                                           .event = "Text",
                                           .flags = TK_UW_AUX | TK_UW_NOSYNC | TK_UW_IMPORTANT,
                                           .uid = 6,
                                           TK_UW_FIELDS(text_fields)};
    static const uint8_t want[] = {0x10, 0x00, 0x01, 0x00, 0x0d, 0x00, 0x08, 0x00,
                                   0x05, 0x00, 0x81, 0x01, 0x00, 0x00, 'x',  0x00};
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 3, 4);
    tk_uw_lane_init(&lane, &fix.stream, TK_UW_TID_IMPORTANT);
    tk_uw_begin(&lane, &text);
    tk_uw_u16(&lane.pending, 5);
    tk_uw_value(&lane, &text, 1, "x", 1);
    tk_uw_end(&lane, &text);
    send_lane(&lane);
    expect(&fix, want, sizeof(want));
}
END_TEST

START_TEST(test_absolute_scopes)
{
    static const uint8_t want[] = {0x18, 0x00, 0x02, 0x00, 0x08, 0x0c, 1, 0, 0, 0, 0, 0,
                                   0,    0,    0x0e, 2,    0,    0,    0, 0, 0, 0, 0, 0x0a};
    struct fixture fix;
    struct tk_uw_lane lane;

    open_stream(&fix, 4, 7);
    tk_uw_lane_init(&lane, &fix.stream, 2);
    tk_uw_enter(&lane);
    tk_uw_enter_absolute(&lane, 1);
    tk_uw_leave_absolute(&lane, 2);
    tk_uw_leave(&lane);
    send_lane(&lane);
    expect(&fix, want, sizeof(want));
}
END_TEST

/* Cutting */

static size_t load_u16(const uint8_t *at)
{
    return at[0] | (size_t)at[1] << 8;
}

static const struct tk_uw_field blob_field[] = {{.name = "Data", .type = TK_UW_U8S}};
static const struct tk_uw_type blob_type = {.logger = "Demo",
                                            .event = "Blob",
                                            .flags = TK_UW_NOSYNC | TK_UW_AUX,
                                            .uid = 22,
                                            TK_UW_FIELDS(blob_field)};

/* A value longer than a packet is cut into pieces so that every packet begins with a record and none is too
 * long. */
START_TEST(test_long_value)
{
    struct fixture fix;
    struct tk_uw_lane lane;
    uint8_t data[10000] = {0};
    size_t at = 0, got = 0;

    open_stream(&fix, 4, 7);
    tk_uw_lane_init(&lane, &fix.stream, 2);
    tk_uw_begin(&lane, &blob_type);
    tk_uw_value(&lane, &blob_type, 0, data, sizeof(data));
    tk_uw_end(&lane, &blob_type);
    send_lane(&lane);
    for (unsigned packet = 0; at < fix.file.size; packet++) {
        const uint8_t *head = fix.file.data + at;
        size_t size = load_u16(head);
        size_t record = packet ? 4 : 6; /* the first packet has the event's head too */

        ck_assert_uint_le(size - 4, TK_UW_PACKET_USUAL);
        ck_assert_uint_eq(head[record], 0x02);
        got += (head[record + 1] >> 5) | (size_t)head[record + 2] << 3 | (size_t)head[record + 3] << 11;
        at += size;
    }
    ck_assert_uint_eq(at, fix.file.size);
    ck_assert_uint_eq(got, sizeof(data));
    ck_assert_uint_eq(fix.file.data[at - 1], 0x06);
    tk_uw_bytes_release(&fix.file);
}
END_TEST

/* An important stream that is cut every 1024 bytes, inside events (wire 2.8). */
START_TEST(test_replayed_importants)
{
    static const struct tk_uw_type spec = {.logger = "Demo",
                                           .event = "Spec",
                                           .flags = TK_UW_NOSYNC | TK_UW_AUX | TK_UW_IMPORTANT,
                                           .uid = 16,
                                           TK_UW_FIELDS(blob_field)};
    struct fixture fix;
    struct tk_uw_lane lane;
    uint8_t data[1500] = {0};

    open_stream(&fix, 4, 7);
    tk_uw_lane_init(&lane, &fix.stream, TK_UW_TID_IMPORTANT);
    lane.anywhere = true;
    lane.limit = TK_UW_REPLAY;
    tk_uw_begin(&lane, &spec);
    tk_uw_value(&lane, &spec, 0, data, sizeof(data));
    tk_uw_end(&lane, &spec);
    send_lane(&lane);
    /* 4 + 4 + 1500 + 1 bytes of event in packets of 1024 and 485 */
    ck_assert_uint_eq(fix.file.size, 4 + 1024 + 4 + 485);
    ck_assert_uint_eq(load_u16(fix.file.data + 0), 1028);
    ck_assert_uint_eq(load_u16(fix.file.data + 1028), 489);
    ck_assert_uint_eq(load_u16(fix.file.data + 6), 4 + 1500 + 1);
    tk_uw_bytes_release(&fix.file);
}
END_TEST

TCase *record_tests(void)
{
    TCase *group = tcase_create("records");

    tcase_add_test(group, test_packed_packet);
    tcase_add_test(group, test_short_packet_stays_plain);
    tcase_add_test(group, test_verified_packets);
    tcase_add_test(group, test_nested_event);
    tcase_add_test(group, test_protocol_4_records);
    tcase_add_test(group, test_protocol_4_important_size);
    tcase_add_test(group, test_absolute_scopes);
    tcase_add_test(group, test_long_value);
    tcase_add_test(group, test_replayed_importants);
    return group;
}
