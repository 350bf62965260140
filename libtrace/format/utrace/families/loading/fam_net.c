/*
 * Network (events 8.7).
 *
 * Nothing is valid before the first InitEvent, which states how contents are encoded. A recording that began
 * later has none: then they are read as the newest version writes them, and that is noted.
 */
#include "format/utrace/families/loading/loading_in.h"
#include "format/utrace/feed/family_list.h"

#define NEWEST_VERSION 5
#define NO_CONNECTION  UINT32_MAX

static void clear(struct tk_ut_net *s)
{
    for (uint32_t i = 0; i < s->ways.n; i++) {
        uint64_t key;
        struct tk_ut_net_way *way = tk_record_map_at(&s->ways, i, &key);
        if (way)
            tk_ut_net_entries_release(&way->content);
    }
    tk_record_map_release(&s->ways);
    tk_record_map_release(&s->instances);
    tk_record_map_release(&s->links);
    tk_record_map_release(&s->objects);
    tk_record_map_init(&s->ways, sizeof(struct tk_ut_net_way));
    tk_record_map_init(&s->instances, sizeof(struct tk_ut_net_instance));
    tk_record_map_init(&s->links, sizeof(struct tk_fact_net_link));
    tk_record_map_init(&s->objects, sizeof(uint32_t));
    tk_map_release(&s->names.index);
}

static void begin_net(void *state)
{
    struct tk_ut_net *s = state;
    clear(s);
    s->names.n = 0;
    s->looked = 0;
    s->time = 0;
    s->version = NEWEST_VERSION;
    s->began = s->noted = false;
}

enum { I_TIME, I_VERSION };

static int on_init(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    clear(s);
    s->time = tk_ut_since(feed, tk_ut_u64(ev, I_TIME));
    s->version = (uint32_t)tk_ut_u64(ev, I_VERSION);
    s->began = true;
    if (s->version > NEWEST_VERSION)
        tk_ut_bad_payload(feed, ev, "its version is not known; contents are read as those of version 5");
    return TK_OK;
}

enum { N_ID, N_NAME };

static int on_name(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    struct tk_fact fact = tk_ut_net_fact(feed, ev, s, TK_FACT_NET_NAME);
    int rc = tk_ut_net_number(feed, s, ev, tk_ut_u64(ev, N_ID), &fact.u.net_name.id);
    fact.u.net_name.name = tk_ut_str(feed, ev, N_NAME, 1);
    if (rc != TK_OK || !fact.u.net_name.name)
        return TK_ENOMEM;
    return fact.u.net_name.id ? tk_ut_emit(feed, &fact) : TK_OK;
}

/* ---- numbers ---- */

enum { V_VALUE, V_NAME, V_INSTANCE, V_FOURTH };

static int on_packet_value(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    struct tk_fact fact = tk_ut_net_fact(feed, ev, s, TK_FACT_NET_VALUE);
    uint32_t instance = (uint32_t)tk_ut_u64(ev, V_INSTANCE);
    fact.u.net_value =
        (struct tk_fact_net_value){.instance = instance,
                                   .connection = tk_ut_net_connection(s, instance, tk_ut_u64(ev, V_FOURTH)),
                                   .value = tk_ut_u64(ev, V_VALUE)};
    int rc = tk_ut_net_number(feed, s, ev, tk_ut_u64(ev, V_NAME), &fact.u.net_value.name);
    return rc == TK_OK ? tk_ut_emit(feed, &fact) : rc;
}

static int on_frame_value(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    s->time = tk_ut_since(feed, tk_ut_u64(ev, V_FOURTH));
    struct tk_fact fact = tk_ut_net_fact(feed, ev, s, TK_FACT_NET_VALUE);
    fact.u.net_value = (struct tk_fact_net_value){.instance = (uint32_t)tk_ut_u64(ev, V_INSTANCE),
                                                  .connection = NO_CONNECTION,
                                                  .value = tk_ut_u64(ev, V_VALUE)};
    int rc = tk_ut_net_number(feed, s, ev, tk_ut_u64(ev, V_NAME), &fact.u.net_value.name);
    return rc == TK_OK ? tk_ut_emit(feed, &fact) : rc;
}

static const struct tk_ut_bind binds[] = {
    {"NetTrace.InitEvent", on_init, false, {"Timestamp", "NetTraceVersion"}},
    {"NetTrace.InstanceUpdatedEvent", tk_ut_net_on_instance, false, {"GameInstanceId", "bIsServer", "Name"}},
    {"NetTrace.InstanceDestroyedEvent", tk_ut_net_on_instance_end, false, {"GameInstanceId"}},
    {"NetTrace.NameEvent", on_name, false, {"NameId", "Name"}},
    {"NetTrace.ConnectionCreatedEvent", tk_ut_net_on_connected, false, {"ConnectionId", "GameInstanceId"}},
    {"NetTrace.ConnectionClosedEvent", tk_ut_net_on_closed, false, {"ConnectionId", "GameInstanceId"}},
    {"NetTrace.ConnectionStateUpdatedEvent",
     tk_ut_net_on_state,
     false,
     {"ConnectionId", "GameInstanceId", "ConnectionStateValue"}},
    {"NetTrace.ConnectionUpdatedEvent",
     tk_ut_net_on_link,
     false,
     {"ConnectionId", "GameInstanceId", "Name", "Address"}},
    {"NetTrace.ObjectCreatedEvent",
     tk_ut_net_on_object,
     false,
     {"ObjectId", "GameInstanceId", "NameId", "TypeId", "OwnerId"}},
    {"NetTrace.ObjectExistsEvent",
     tk_ut_net_on_object,
     false,
     {"ObjectId", "GameInstanceId", "NameId", "TypeId", "OwnerId"}},
    {"NetTrace.ObjectDestroyedEvent", tk_ut_net_on_destroyed, false, {"ObjectId", "GameInstanceId"}},
    {"NetTrace.SubObjectEvent",
     tk_ut_net_on_sub_object,
     false,
     {"SubObjectId", "GameInstanceId", "ParentObjectId"}},
    {"NetTrace.ObjectPolledEvent",
     tk_ut_net_on_polled,
     false,
     {"ObjectId", "GameInstanceId", "Cycles", "bIsWaste"}},
    {"NetTrace.ObjectQuantizedEvent",
     tk_ut_net_on_quantized,
     false,
     {"ObjectId", "GameInstanceId", "Cycles"}},
    {"NetTrace.ObjectWrittenEvent", tk_ut_net_on_written, false, {"ObjectId", "GameInstanceId", "Cycles"}},
    {"NetTrace.PacketContentEvent",
     tk_ut_net_on_content,
     false,
     {"ConnectionId", "GameInstanceId", "PacketType", "Data"}},
    {"NetTrace.PacketEvent",
     tk_ut_net_on_packet,
     false,
     {"ConnectionId", "GameInstanceId", "PacketType", "Timestamp", "SequenceNumber", "PacketBits"}},
    {"NetTrace.PacketDroppedEvent",
     tk_ut_net_on_dropped,
     false,
     {"ConnectionId", "GameInstanceId", "PacketType", "Timestamp", "SequenceNumber"}},
    {"NetTrace.PacketStatsCounterEvent",
     on_packet_value,
     false,
     {"StatsValue", "NameId", "GameInstanceId", "ConnectionId"}},
    {"NetTrace.FrameStatsCounterEvent",
     on_frame_value,
     false,
     {"StatsValue", "NameId", "GameInstanceId", "Timestamp"}},
    {0},
};

const struct tk_ut_family tk_ut_fam_net = {.name = "net",
                                           .facts = TK_FACT_MASK(NET_NAME) | TK_FACT_MASK(NET_LINK) |
                                                    TK_FACT_MASK(NET_PACKET) | TK_FACT_MASK(NET_LOSS) |
                                                    TK_FACT_MASK(NET_OBJECT) | TK_FACT_MASK(NET_VALUE),
                                           .binds = binds,
                                           .state = sizeof(struct tk_ut_net),
                                           .begin = begin_net,
                                           .release = begin_net};
