/* Network events to tables: contents in all versions, lost packets, names that come late or never.
 * Expectations are worked out by hand from events 8.7. */
#include "put.h"

#define T(time) Q(1000 + (time))
#define OUT     Q(0)
#define IN      Q(1)

enum net {
    INIT,
    INSTANCE,
    NAME,
    LINK,
    STATE,
    CLOSED,
    CREATED,
    OBJECT,
    DESTROYED,
    SUB,
    POLLED,
    CONTENT,
    PACKET,
    DROPPED,
    VALUE,
    FRAME_VALUE,
    TYPES
};

static const char *const known[TYPES][2] = {
    [INIT] = {"NetTrace.InitEvent", "Timestamp:q NetTraceVersion:i NetTraceReporterVersion:i"},
    [INSTANCE] = {"NetTrace.InstanceUpdatedEvent", "GameInstanceId:b bIsServer:b Name:w"},
    [NAME] = {"NetTrace.NameEvent", "NameId:i Name:s"},
    [LINK] = {"NetTrace.ConnectionUpdatedEvent", "ConnectionId:h GameInstanceId:b Name:w Address:w"},
    [STATE] = {"NetTrace.ConnectionStateUpdatedEvent",
               "ConnectionId:h GameInstanceId:b ConnectionStateValue:b"},
    [CLOSED] = {"NetTrace.ConnectionClosedEvent", "ConnectionId:h GameInstanceId:b"},
    [CREATED] = {"NetTrace.ConnectionCreatedEvent", "ConnectionId:h GameInstanceId:b"},
    [OBJECT] = {"NetTrace.ObjectCreatedEvent", "TypeId:q ObjectId:q OwnerId:i NameId:i GameInstanceId:b"},
    [DESTROYED] = {"NetTrace.ObjectDestroyedEvent", "ObjectId:q GameInstanceId:b"},
    [SUB] = {"NetTrace.SubObjectEvent", "ParentObjectId:q SubObjectId:q GameInstanceId:b"},
    [POLLED] = {"NetTrace.ObjectPolledEvent", "ObjectId:q Cycles:q bIsWaste:b GameInstanceId:b"},
    [CONTENT] = {"NetTrace.PacketContentEvent", "ConnectionId:h GameInstanceId:b PacketType:b Data:B"},
    [PACKET] = {"NetTrace.PacketEvent",
                "Timestamp:q PacketBits:i SequenceNumber:i ConnectionId:h GameInstanceId:b PacketType:b"},
    [DROPPED] = {"NetTrace.PacketDroppedEvent",
                 "Timestamp:q SequenceNumber:i ConnectionId:h GameInstanceId:b PacketType:b"},
    [VALUE] = {"NetTrace.PacketStatsCounterEvent", "StatsValue:i NameId:i ConnectionId:h GameInstanceId:b"},
    [FRAME_VALUE] = {"NetTrace.FrameStatsCounterEvent", "Timestamp:q StatsValue:i NameId:i GameInstanceId:b"},
};

static struct captured *c;
static struct put_type *types[TYPES];

static void start(void)
{
    c = captured_new(7);
    for (size_t i = 0; i < TYPES; i++)
        types[i] = put_new(c, known[i][0], known[i][1], 0);
}

static void finish(void)
{
    captured_free(c);
    for (size_t i = 0; i < TYPES; i++)
        free(types[i]);
}

#define PUT(which, ...) put(c, 0, types[which], __VA_ARGS__)

/* Content of connection 1 in instance 1; n bytes, each a byte or a number below 128. */
#define CONTENT_OF(direction, ...)                                                                           \
    do {                                                                                                     \
        static const uint8_t data[] = {__VA_ARGS__};                                                         \
        PUT(CONTENT, Q(1), Q(1), (direction), (const void *)data, sizeof data);                              \
    } while (0)

static void packet(uint64_t time, uint64_t bits, uint64_t sequence, uint64_t direction)
{
    PUT(PACKET, time, bits, sequence, Q(1), Q(1), direction);
}

#define NET "direction,packets,bits,dropped,missing,bunches,bunch_bits,header_bits,content"

/* Object 7 holds name 3, which holds name 4; then a second bunch with name 3 alone. */
START_TEST(a_tree_of_content)
{
    start();
    PUT(INIT, T(0), Q(5), Q(0));
    PUT(OBJECT, Q(99), Q(7), Q(1), Q(2), Q(1));
    CONTENT_OF(OUT, 0, 0, 7, 0, 40, /* object 7: 0 to 40 */
               1, 1, 3, 4, 30,      /* name 3 inside: 4 to 34 */
               1, 2, 4, 6, 10,      /* name 4 inside that: 10 to 20 */
               1, 1, 4, 25, 5,      /* name 4 in the object: 35 to 40 */
               2, 6, 48,            /* bunch of channel "Chan" */
               3, 4, 16, 9);        /* its header: 4 parts, 16 bits, channel 9 */
    CONTENT_OF(OUT, 1, 0, 3, 0, 12, 2, 0, 12, 3, 1, 8, 9);
    packet(T(5), 100, 1, OUT);
    packet(T(6), 40, 2, OUT); /* holds nothing */
    PUT(NAME, Q(3), "Props"); /* names come late */
    PUT(NAME, Q(4), "Health");
    PUT(NAME, Q(2), "Enemy");
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "net", NET), "out|2|140|0|0|2|60|24|5\n");
    ck_assert_str_eq(captured_table(c, "net_content", "depth,kind,name,count,bits,excl_bits,max"),
                     "0|object|Enemy|1|40|5|40\n"
                     "1|name|Props|1|30|20|30\n"
                     "2|name|Health|1|10|10|10\n"
                     "1|name|Health|1|5|5|5\n"
                     "0|name|Props|1|12|12|12\n");
    ck_assert_str_eq(captured_table(c, "net_packets", "time,sequence,bits,bunches,bunch_bits,content,state"),
                     "1005|1|100|2|60|5|ok\n1006|2|40|0|0|0|ok\n");
    finish();
}
END_TEST

/* Up to version 3 bunches tell two numbers; version 2 has only the channel; version 1 no info at all. */
START_TEST(older_versions)
{
    start();
    PUT(INIT, T(0), Q(3), Q(0));
    CONTENT_OF(OUT, 2, 0, 10, 20, 3, 0, 5, 1);
    packet(T(1), 1, 1, OUT);
    PUT(INIT, T(0), Q(1), Q(0));
    CONTENT_OF(OUT, 2, 0, 10, 7, 3, 0, 5, 2, 0, 1, 1, 3, 0, 5);
    packet(T(1), 1, 2, OUT);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "net_packets", "sequence,bunches,bunch_bits"), "1|1|30\n2|2|19\n");
    ck_assert_uint_eq(captured_faults(c, "net", "payload_damaged"), 0);
    finish();
}
END_TEST

/* Numbers that come in with gaps; drops that are reported later; a way out does not miss any. */
START_TEST(lost_packets)
{
    start();
    PUT(INIT, T(0), Q(5), Q(0));
    packet(T(1), 8, 10, IN);
    packet(T(2), 8, 13, IN); /* 11 and 12 are missing */
    packet(T(3), 8, 12, IN); /* late: no gap */
    packet(T(4), 8, 14, IN);
    packet(T(5), 8, 1, OUT);
    packet(T(6), 9, 5, OUT); /* no gap is reported of what goes out */
    PUT(DROPPED, T(7), Q(1), Q(1), Q(1), OUT);
    PUT(DROPPED, T(8), Q(77), Q(1), Q(1), OUT); /* from before the recording */
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "net", "direction,packets,bits,bytes,dropped,missing,min,max,mean"),
                     "in|4|32|4|0|2|8|8|8r\nout|2|17|3|2|0|8|9|8.5r\n");
    ck_assert_str_eq(captured_table(c, "net_packets", "direction,time,sequence,bits,state"),
                     "in|1001|10|8|ok\n"
                     "in|1002|11||missing\n"
                     "in|1002|12||missing\n"
                     "in|1002|13|8|ok\n"
                     "in|1003|12|8|ok\n"
                     "in|1004|14|8|ok\n"
                     "out|1005|1|8|dropped\n"
                     "out|1006|5|9|ok\n"
                     "out|1008|77|0|dropped\n");
    finish();
}
END_TEST

/* Entries that break off, of no known type, a header without a bunch; nothing that says the version. */
START_TEST(damaged_content)
{
    start();
    CONTENT_OF(OUT, 1, 0, 3, 0, 12, 0, 0, 7);             /* breaks off */
    CONTENT_OF(OUT, 9, 1, 0, 3, 0, 12);                   /* no such entry */
    CONTENT_OF(OUT, 3, 1, 1, 1);                          /* a header alone */
    CONTENT_OF(OUT, 1, 0, 3, 0, 1, 2, 0, 5, 3, 99, 8, 1); /* more parts than there are */
    CONTENT_OF(OUT, 1, 0, 3, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1);
    packet(T(1), 100, 1, OUT);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "net", NET), "out|1|100|0|0|1|5|8|2\n");
    ck_assert_uint_eq(captured_faults(c, "net", "payload_damaged"), 4);
    ck_assert_uint_eq(captured_faults(c, "net", "definition_missing"), 1);
    finish();
}
END_TEST

/* Ids of objects and names are used again; connections are named before and after their packets. */
START_TEST(who_is_who)
{
    start();
    PUT(INIT, T(0), Q(5), Q(0));
    PUT(NAME, Q(1), "Old");
    PUT(OBJECT, Q(1), Q(7), Q(0), Q(1), Q(1));
    PUT(OBJECT, Q(1), Q(7), Q(0), Q(1), Q(2)); /* the same id in another instance */
    PUT(SUB, Q(7), Q(8), Q(1));                /* a part that was never made */
    CONTENT_OF(IN, 0, 0, 7, 0, 11);
    packet(T(5), 20, 1, IN);
    PUT(POLLED, Q(7), Q(30), Q(0), Q(1));
    PUT(POLLED, Q(7), Q(40), Q(1), Q(1));
    PUT(DESTROYED, Q(7), Q(1));
    PUT(NAME, Q(2), "New");
    PUT(OBJECT, Q(2), Q(7), Q(5), Q(2), Q(1));
    CONTENT_OF(IN, 0, 0, 7, 0, 5);
    packet(T(6), 20, 2, IN);
    PUT(VALUE, Q(4), Q(1), Q(1), Q(1));
    PUT(VALUE, Q(6), Q(1), Q(1), Q(1));
    PUT(FRAME_VALUE, T(7), Q(9), Q(50), Q(1)); /* a name that never comes */
    PUT(LINK, Q(1), Q(1), "Player", "10.0.0.1");
    PUT(INSTANCE, Q(1), Q(1), "Server");
    PUT(STATE, Q(1), Q(1), Q(3));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "net", "instance,connection,address,direction,packets,state,server"),
                     "Server|Player|10.0.0.1|in|2|open|1\n");
    ck_assert_str_eq(
        captured_table(
            c, "net_objects",
            "instance_id,object_id,name,type_id,owner_id,parent_id,count,bits,polls,poll_time,wasted_polls,"
            "wasted_time,destroyed"),
        "1|7|Old|1|0||1|11|2|70|1|40|1\n"
        "2|7|Old|1|0||0|0|0|0|0|0|0\n"
        "1|8||||7|0|0|0|0|0|0|0\n"
        "1|7|New|2|5||1|5|0|0|0|0|0\n");
    ck_assert_str_eq(
        captured_table(c, "net_values", "instance_id,connection_id,basis,name,count,sum,first,last,mean"),
        "1|1|packet|Old|2|10|4|6|5r\n1||frame||1|9|9|9|9r\n");
    finish();
}
END_TEST

/* The id of a closed connection is used again: another player, packets from 1 on, none of them missing. */
START_TEST(an_id_used_again)
{
    start();
    PUT(INIT, T(0), Q(5), Q(0));
    PUT(INSTANCE, Q(1), Q(1), "Server");
    PUT(NAME, Q(3), "Lag");
    PUT(CREATED, Q(1), Q(1));
    PUT(LINK, Q(1), Q(1), "Anna", "10.0.0.1");
    packet(T(1), 100, 500, IN);
    packet(T(2), 100, 502, IN);
    PUT(VALUE, Q(4), Q(3), Q(1), Q(1));
    PUT(CLOSED, Q(1), Q(1));
    PUT(CREATED, Q(1), Q(1));
    PUT(LINK, Q(1), Q(1), "Boris", "10.0.0.2");
    PUT(STATE, Q(1), Q(1), Q(3));
    packet(T(5), 7, 600, IN);
    packet(T(6), 7, 601, IN);
    PUT(DROPPED, T(7), Q(602), Q(1), Q(1), IN);
    PUT(VALUE, Q(6), Q(3), Q(1), Q(1));
    captured_close(c);
    ck_assert_str_eq(
        captured_table(c, "net",
                       "instance,connection_id,connection,address,packets,bits,missing,dropped,state"),
        "Server|1|Anna|10.0.0.1|2|200|1|0|closed\nServer|1|Boris|10.0.0.2|2|14|0|1|open\n");
    ck_assert_str_eq(captured_table(c, "net_values", "connection_id,connection,name,count,sum"),
                     "1|Anna|Lag|1|4\n1|Boris|Lag|1|6\n");
    ck_assert_str_eq(captured_table(c, "net_packets", "connection,sequence,state"),
                     "Anna|500|ok\nAnna|501|missing\nAnna|502|ok\nBoris|600|ok\nBoris|601|ok\n"
                     "Boris|602|dropped\n");
    finish();
}
END_TEST

/* A new beginning forgets names and content that were reported before. */
START_TEST(a_new_beginning)
{
    start();
    PUT(INIT, T(0), Q(5), Q(0));
    PUT(NAME, Q(3), "Before");
    CONTENT_OF(OUT, 1, 0, 3, 0, 12);
    packet(T(1), 20, 1, OUT);
    CONTENT_OF(OUT, 1, 0, 3, 0, 12); /* its packet never comes */
    PUT(INIT, T(2), Q(5), Q(0));
    CONTENT_OF(OUT, 1, 0, 3, 0, 7);
    packet(T(3), 20, 1, OUT);
    PUT(NAME, Q(3), "After");
    PUT(CLOSED, Q(1), Q(1));
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "net_content", "name,count,bits"), "Before|1|12\nAfter|1|7\n");
    ck_assert_str_eq(captured_table(c, "net", "packets,content,state"), "2|2|closed\n");
    finish();
}
END_TEST

/* Clocks of damaged captures: what lies between two times is more than a number with a sign holds. */
START_TEST(times_far_apart)
{
    start();
    PUT(INIT, T(0), Q(5), Q(0));
    packet(Q(999), Q(3000000000), 1, OUT); /* 2^63 cycles before the next, a thousand a second */
    packet(Q(1000) + Q(INT64_MAX), 0, 2, OUT);
    captured_close(c);
    ck_assert_str_eq(captured_table(c, "net", "packets,bits,bits_per_s"), "2|3000000000|3.25260652e-07r\n");
    finish();
}
END_TEST

int main(void)
{
    const TTest *tests[] = {a_tree_of_content, older_versions,   lost_packets,    damaged_content,
                            who_is_who,        an_id_used_again, a_new_beginning, times_far_apart};
    return RUN_TESTS("net", tests);
}
