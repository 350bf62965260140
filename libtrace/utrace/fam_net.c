/*
 * Network (utrace-events 8.7). What a packet holds is told before the packet, by connection and direction.
 *
 * Nothing is valid before the first InitEvent, which tells how contents are written. A recording that began
 * later has none: then they are read as the newest version writes them, and that is noted.
 */
#include <string.h>

#include "base/live.h"
#include "utrace/families.h"
#include "utrace/net_content.h"

#define NEWEST_VERSION 5
#define NO_CONNECTION  UINT32_MAX

struct way {
    struct tk_ut_net_content content;
    uint32_t sequence; /* of the last packet */
    bool has_sequence;
};

struct instance {
    const struct tk_str *name;
    bool has_server, server;
};

struct state {
    struct tk_live ways;      /* instance, connection, direction -> struct way */
    struct tk_live instances; /* id -> struct instance */
    struct tk_live links;     /* instance, connection -> struct tk_fact_net_link */
    struct tk_live objects;   /* tk_ut_net_object_key -> uint32_t, number of the name */
    struct tk_ut_net_names names;
    int64_t time; /* of the last packet or frame */
    uint32_t version;
    bool began, noted;
};

static void clear(struct state *s)
{
    for (uint32_t i = 0; i < s->ways.n; i++) {
        uint64_t key;
        struct way *way = tk_live_at(&s->ways, i, &key);
        if (way)
            tk_ut_net_content_release(&way->content);
    }
    tk_live_release(&s->ways);
    tk_live_release(&s->instances);
    tk_live_release(&s->links);
    tk_live_release(&s->objects);
    tk_live_init(&s->ways, sizeof(struct way));
    tk_live_init(&s->instances, sizeof(struct instance));
    tk_live_init(&s->links, sizeof(struct tk_fact_net_link));
    tk_live_init(&s->objects, sizeof(uint32_t));
    tk_map_release(&s->names.index);
}

static void begin(void *state)
{
    struct state *s = state;
    clear(s);
    s->names.n = 0;
    s->time = 0;
    s->version = NEWEST_VERSION;
    s->began = s->noted = false;
}

static struct tk_fact fact_of(const struct tk_ut_feed *feed, const struct tk_ut_event *ev,
                              const struct state *s, enum tk_fact_kind kind)
{
    return tk_ut_fact(feed, ev, kind, s->time);
}

/* ---- definitions ---- */

enum { I_TIME, I_VERSION };

static int on_init(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    clear(s);
    s->time = tk_ut_since(feed, tk_ut_u64(ev, I_TIME));
    s->version = (uint32_t)tk_ut_u64(ev, I_VERSION);
    s->began = true;
    if (s->version > NEWEST_VERSION)
        tk_ut_bad_payload(feed, ev, "its version is not known; contents are read as those of version 5");
    return TK_OK;
}

/* The number of a name. TK_OK (0 when there are too many) or TK_ENOMEM. */
static int number_of(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint64_t id,
                     uint32_t *number)
{
    s->names.most = feed->capture->ctx->limits.rows;
    *number = tk_ut_net_name(&s->names, id);
    if (!*number)
        tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, ev->offset, 1,
                       "a network name was left out (limit 'rows')");
    return *number == UINT32_MAX ? TK_ENOMEM : TK_OK;
}

enum { N_ID, N_NAME };

static int on_name(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tk_fact fact = fact_of(feed, ev, s, TK_FACT_NET_NAME);
    int rc = number_of(feed, s, ev, tk_ut_u64(ev, N_ID), &fact.u.net_name.id);
    fact.u.net_name.name = tk_ut_str(feed, ev, N_NAME, 1);
    if (rc != TK_OK || !fact.u.net_name.name)
        return TK_ENOMEM;
    return fact.u.net_name.id ? tk_ut_emit(feed, &fact) : TK_OK;
}

static bool has_room(struct tk_ut_feed *feed, const struct tk_live *live, const struct tk_ut_event *ev)
{
    if (live->count < feed->capture->ctx->limits.connections)
        return true;
    tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, ev->offset, 1,
                   "a network connection was left out (limit 'connections')");
    return false;
}

/* What is known of a connection, made up when it is met first. TK_ITEM, TK_OK when there is no room,
 * TK_ENOMEM. */
static int link_of(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint32_t instance,
                   uint32_t connection, struct tk_fact_net_link **out)
{
    uint64_t key = (uint64_t)instance << 32 | connection;
    struct tk_fact_net_link *link = *out = tk_live_get(&s->links, key);
    if (link)
        return TK_ITEM;
    if (!has_room(feed, &s->links, ev))
        return TK_OK;
    if (!(link = *out = tk_live_put(&s->links, key)))
        return TK_ENOMEM;
    const struct instance *in = tk_live_get(&s->instances, instance);
    link->instance = instance;
    link->connection = connection;
    if (in) {
        link->instance_name = in->name;
        link->has_server = in->has_server;
        link->server = in->server;
    }
    return TK_ITEM;
}

static int say_link(struct tk_ut_feed *feed, const struct state *s, const struct tk_ut_event *ev,
                    const struct tk_fact_net_link *link)
{
    struct tk_fact fact = fact_of(feed, ev, s, TK_FACT_NET_LINK);
    fact.u.net_link = *link;
    return tk_ut_emit(feed, &fact);
}

enum { IN_ID, IN_SERVER, IN_NAME };

static int on_instance(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id = (uint32_t)tk_ut_u64(ev, IN_ID);
    struct instance *in = tk_live_put(&s->instances, id);
    int rc = TK_OK;
    if (!in || !(in->name = tk_ut_str(feed, ev, IN_NAME, 2)))
        return TK_ENOMEM;
    in->has_server = tk_ut_has(ev, IN_SERVER);
    in->server = tk_ut_u64(ev, IN_SERVER) != 0;
    for (uint32_t i = 0; i < s->links.n && rc == TK_OK; i++) {
        uint64_t key;
        struct tk_fact_net_link *link = tk_live_at(&s->links, i, &key);
        if (!link || link->instance != id)
            continue;
        link->instance_name = in->name;
        link->has_server = in->has_server;
        link->server = in->server;
        rc = say_link(feed, s, ev, link);
    }
    return rc;
}

enum { L_CONNECTION, L_INSTANCE, L_STATE, L_NAME = L_STATE, L_ADDRESS };

static int link_in(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev,
                   struct tk_fact_net_link **out)
{
    return link_of(feed, s, ev, (uint32_t)tk_ut_u64(ev, L_INSTANCE), (uint32_t)tk_ut_u64(ev, L_CONNECTION),
                   out);
}

static int on_connected(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_net_link *link;
    int rc = link_in(feed, state, ev, &link);
    if (rc != TK_ITEM)
        return rc;
    link->closed = false;
    return say_link(feed, state, ev, link);
}

static int on_closed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_net_link *link;
    int rc = link_in(feed, state, ev, &link);
    if (rc != TK_ITEM)
        return rc;
    link->closed = true;
    return say_link(feed, state, ev, link);
}

/* All its connections are closed with it. */
static int on_instance_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t id = (uint32_t)tk_ut_u64(ev, IN_ID);
    int rc = TK_OK;
    for (uint32_t i = 0; i < s->links.n && rc == TK_OK; i++) {
        uint64_t key;
        struct tk_fact_net_link *link = tk_live_at(&s->links, i, &key);
        if (!link || link->instance != id)
            continue;
        link->closed = true;
        rc = say_link(feed, s, ev, link);
    }
    return rc;
}

static int on_state(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_net_link *link;
    int rc = link_in(feed, state, ev, &link);
    if (rc != TK_ITEM)
        return rc;
    link->state = (uint8_t)tk_ut_u64(ev, L_STATE);
    return say_link(feed, state, ev, link);
}

static int on_link(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_net_link *link;
    const struct tk_str *name = tk_ut_str(feed, ev, L_NAME, 2), *address = tk_ut_str(feed, ev, L_ADDRESS, 2);
    int rc = name && address ? link_in(feed, state, ev, &link) : TK_ENOMEM;
    if (rc != TK_ITEM)
        return rc;
    link->name = name;
    link->address = address;
    return say_link(feed, state, ev, link);
}

/* ---- objects ---- */

enum { O_ID, O_INSTANCE, O_OTHER, O_TYPE, O_OWNER };

static struct tk_fact object(const struct tk_ut_feed *feed, const struct state *s,
                             const struct tk_ut_event *ev, enum tk_net_object_op op)
{
    struct tk_fact fact = fact_of(feed, ev, s, TK_FACT_NET_OBJECT);
    fact.u.net_object = (struct tk_fact_net_object){
        .instance = (uint32_t)tk_ut_u64(ev, O_INSTANCE), .id = tk_ut_u64(ev, O_ID), .op = (uint8_t)op};
    return fact;
}

static int on_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tk_fact fact = object(feed, s, ev, TK_NET_CREATED);
    struct tk_fact_net_object *o = &fact.u.net_object;
    uint64_t key = tk_ut_net_object_key(o->instance, o->id);
    o->owner = (uint32_t)tk_ut_u64(ev, O_OWNER);
    o->type = tk_ut_u64(ev, O_TYPE);
    if (number_of(feed, s, ev, tk_ut_u64(ev, O_OTHER), &o->name) != TK_OK)
        return TK_ENOMEM;
    if (s->objects.count >= feed->capture->ctx->limits.rows && !tk_live_get(&s->objects, key)) {
        tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, ev->offset, 1,
                       "a network object was left out (limit 'rows')");
        return TK_OK;
    }
    uint32_t *slot = tk_live_put(&s->objects, key);
    if (!slot)
        return TK_ENOMEM;
    *slot = o->name;
    return tk_ut_emit(feed, &fact);
}

static int on_destroyed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tk_fact fact = object(feed, s, ev, TK_NET_DESTROYED);
    tk_live_remove(&s->objects, tk_ut_net_object_key(fact.u.net_object.instance, fact.u.net_object.id));
    return tk_ut_emit(feed, &fact);
}

static int on_sub_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = object(feed, state, ev, TK_NET_PARENT);
    fact.u.net_object.parent = tk_ut_u64(ev, O_OTHER);
    return tk_ut_emit(feed, &fact);
}

static int cost(struct tk_ut_feed *feed, const struct state *s, const struct tk_ut_event *ev,
                enum tk_net_object_op op)
{
    struct tk_fact fact = object(feed, s, ev, op);
    fact.u.net_object.cycles = tk_ut_u64(ev, O_OTHER);
    return tk_ut_emit(feed, &fact);
}

static int on_polled(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return cost(feed, state, ev, tk_ut_u64(ev, O_TYPE) ? TK_NET_WASTED : TK_NET_POLLED);
}

static int on_quantized(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return cost(feed, state, ev, TK_NET_QUANTIZED);
}

static int on_written(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return cost(feed, state, ev, TK_NET_WRITTEN);
}

/* ---- packets ---- */

/* TK_ITEM, TK_OK when there is no room, TK_ENOMEM. */
static int way_of(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev, uint32_t instance,
                  uint32_t connection, bool incoming, struct way **out)
{
    uint64_t key = (uint64_t)instance << 33 | (uint64_t)connection << 1 | incoming;
    struct way *way = *out = tk_live_get(&s->ways, key);
    if (way)
        return TK_ITEM;
    if (!has_room(feed, &s->ways, ev))
        return TK_OK;
    *out = tk_live_put(&s->ways, key);
    return *out ? TK_ITEM : TK_ENOMEM;
}

static void need_version(struct tk_ut_feed *feed, struct state *s, const struct tk_ut_event *ev)
{
    if (s->began || s->noted)
        return;
    s->noted = true;
    tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, ev->offset, 1,
                   "packets come before it is said how their contents are written; version 5 is taken");
}

enum { C_CONNECTION, C_INSTANCE, C_TYPE, C_DATA };

static int on_content(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    uint32_t instance = (uint32_t)tk_ut_u64(ev, C_INSTANCE);
    struct tk_ut_net_reader reader = {&s->names, &s->objects, instance, s->version};
    struct way *way;
    int rc = way_of(feed, s, ev, instance, (uint32_t)tk_ut_u64(ev, C_CONNECTION), tk_ut_u64(ev, C_TYPE) != 0,
                    &way);
    if (rc != TK_ITEM)
        return rc;
    need_version(feed, s, ev);
    s->names.most = feed->capture->ctx->limits.rows;
    rc = tk_ut_net_content_feed(&way->content, &reader, tk_ut_bytes(ev, C_DATA),
                                feed->capture->ctx->limits.held_events);
    if (rc == TK_EDAMAGE)
        tk_ut_bad_payload(feed, ev, "an entry is cut off or of no known type");
    if (rc == TK_ELIMIT)
        tk_health_note(&feed->out->health, TK_HEALTH_LIMIT_REACHED, ev->offset, 1,
                       "content of a packet was left out (limit 'held_events')");
    return rc == TK_ENOMEM ? rc : TK_OK;
}

/* Numbers that are skipped by what comes in are packets that were lost. */
static int say_missing(struct tk_ut_feed *feed, const struct state *s, const struct tk_ut_event *ev,
                       const struct way *way, const struct tk_fact_net_packet *p)
{
    uint32_t ahead = p->sequence - way->sequence;
    if (!p->incoming || !way->has_sequence || ahead < 2 || ahead > INT32_MAX)
        return TK_OK;
    struct tk_fact fact = fact_of(feed, ev, s, TK_FACT_NET_LOSS);
    fact.u.net_loss = (struct tk_fact_net_loss){.instance = p->instance,
                                                .connection = p->connection,
                                                .first = way->sequence + 1,
                                                .last = p->sequence - 1,
                                                .incoming = true};
    return tk_ut_emit(feed, &fact);
}

/* Everything in a packet, copied to live as long as the batch. */
static int copy_content(struct tk_ut_feed *feed, const struct tk_ut_net_content *c,
                        struct tk_fact_net_packet *p)
{
    struct tk_arena *a = &feed->out->arena;
    struct tk_net_part *parts = tk_arena_alloc(a, c->parts.n * sizeof *parts);
    struct tk_net_bunch *bunches = tk_arena_alloc(a, c->bunches.n * sizeof *bunches);
    if (!parts || !bunches)
        return TK_ENOMEM;
    if (c->parts.n)
        memcpy(parts, c->parts.v, c->parts.n * sizeof *parts);
    if (c->bunches.n)
        memcpy(bunches, c->bunches.v, c->bunches.n * sizeof *bunches);
    p->parts = parts;
    p->bunches = bunches;
    p->n_parts = (uint32_t)c->parts.n;
    p->n_bunches = (uint32_t)c->bunches.n;
    return TK_OK;
}

enum { P_CONNECTION, P_INSTANCE, P_TYPE, P_TIME, P_SEQUENCE, P_BITS };

static int on_packet(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tk_fact_net_packet p = {.instance = (uint32_t)tk_ut_u64(ev, P_INSTANCE),
                                   .connection = (uint32_t)tk_ut_u64(ev, P_CONNECTION),
                                   .sequence = (uint32_t)tk_ut_u64(ev, P_SEQUENCE),
                                   .incoming = tk_ut_u64(ev, P_TYPE) != 0,
                                   .bits = tk_ut_u64(ev, P_BITS)};
    struct way *way;
    int rc = way_of(feed, s, ev, p.instance, p.connection, p.incoming, &way);
    s->time = tk_ut_since(feed, tk_ut_u64(ev, P_TIME));
    if (rc != TK_ITEM)
        return rc;
    rc = say_missing(feed, s, ev, way, &p);
    if (rc == TK_OK)
        rc = copy_content(feed, &way->content, &p);
    if (!way->has_sequence || p.sequence - way->sequence <= INT32_MAX)
        way->sequence = p.sequence;
    way->has_sequence = true;
    tk_ut_net_content_clear(&way->content);
    struct tk_fact fact = fact_of(feed, ev, s, TK_FACT_NET_PACKET);
    fact.u.net_packet = p;
    return rc == TK_OK ? tk_ut_emit(feed, &fact) : rc;
}

static int on_dropped(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_NET_LOSS, tk_ut_since(feed, tk_ut_u64(ev, P_TIME)));
    uint32_t sequence = (uint32_t)tk_ut_u64(ev, P_SEQUENCE);
    (void)state;
    fact.u.net_loss = (struct tk_fact_net_loss){.instance = (uint32_t)tk_ut_u64(ev, P_INSTANCE),
                                                .connection = (uint32_t)tk_ut_u64(ev, P_CONNECTION),
                                                .first = sequence,
                                                .last = sequence,
                                                .incoming = tk_ut_u64(ev, P_TYPE) != 0,
                                                .told = true};
    return tk_ut_emit(feed, &fact);
}

/* ---- numbers ---- */

enum { V_VALUE, V_NAME, V_INSTANCE, V_FOURTH };

static int on_packet_value(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    struct tk_fact fact = fact_of(feed, ev, s, TK_FACT_NET_VALUE);
    fact.u.net_value = (struct tk_fact_net_value){.instance = (uint32_t)tk_ut_u64(ev, V_INSTANCE),
                                                  .connection = (uint32_t)tk_ut_u64(ev, V_FOURTH),
                                                  .value = tk_ut_u64(ev, V_VALUE)};
    int rc = number_of(feed, s, ev, tk_ut_u64(ev, V_NAME), &fact.u.net_value.name);
    return rc == TK_OK ? tk_ut_emit(feed, &fact) : rc;
}

static int on_frame_value(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct state *s = state;
    s->time = tk_ut_since(feed, tk_ut_u64(ev, V_FOURTH));
    struct tk_fact fact = fact_of(feed, ev, s, TK_FACT_NET_VALUE);
    fact.u.net_value = (struct tk_fact_net_value){.instance = (uint32_t)tk_ut_u64(ev, V_INSTANCE),
                                                  .connection = NO_CONNECTION,
                                                  .value = tk_ut_u64(ev, V_VALUE)};
    int rc = number_of(feed, s, ev, tk_ut_u64(ev, V_NAME), &fact.u.net_value.name);
    return rc == TK_OK ? tk_ut_emit(feed, &fact) : rc;
}

static const struct tk_ut_bind binds[] = {
    {"NetTrace.InitEvent", on_init, false, {"Timestamp", "NetTraceVersion"}},
    {"NetTrace.InstanceUpdatedEvent", on_instance, false, {"GameInstanceId", "bIsServer", "Name"}},
    {"NetTrace.InstanceDestroyedEvent", on_instance_end, false, {"GameInstanceId"}},
    {"NetTrace.NameEvent", on_name, false, {"NameId", "Name"}},
    {"NetTrace.ConnectionCreatedEvent", on_connected, false, {"ConnectionId", "GameInstanceId"}},
    {"NetTrace.ConnectionClosedEvent", on_closed, false, {"ConnectionId", "GameInstanceId"}},
    {"NetTrace.ConnectionStateUpdatedEvent",
     on_state,
     false,
     {"ConnectionId", "GameInstanceId", "ConnectionStateValue"}},
    {"NetTrace.ConnectionUpdatedEvent",
     on_link,
     false,
     {"ConnectionId", "GameInstanceId", "Name", "Address"}},
    {"NetTrace.ObjectCreatedEvent",
     on_object,
     false,
     {"ObjectId", "GameInstanceId", "NameId", "TypeId", "OwnerId"}},
    {"NetTrace.ObjectExistsEvent",
     on_object,
     false,
     {"ObjectId", "GameInstanceId", "NameId", "TypeId", "OwnerId"}},
    {"NetTrace.ObjectDestroyedEvent", on_destroyed, false, {"ObjectId", "GameInstanceId"}},
    {"NetTrace.SubObjectEvent", on_sub_object, false, {"SubObjectId", "GameInstanceId", "ParentObjectId"}},
    {"NetTrace.ObjectPolledEvent", on_polled, false, {"ObjectId", "GameInstanceId", "Cycles", "bIsWaste"}},
    {"NetTrace.ObjectQuantizedEvent", on_quantized, false, {"ObjectId", "GameInstanceId", "Cycles"}},
    {"NetTrace.ObjectWrittenEvent", on_written, false, {"ObjectId", "GameInstanceId", "Cycles"}},
    {"NetTrace.PacketContentEvent",
     on_content,
     false,
     {"ConnectionId", "GameInstanceId", "PacketType", "Data"}},
    {"NetTrace.PacketEvent",
     on_packet,
     false,
     {"ConnectionId", "GameInstanceId", "PacketType", "Timestamp", "SequenceNumber", "PacketBits"}},
    {"NetTrace.PacketDroppedEvent",
     on_dropped,
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
                                           .state = sizeof(struct state),
                                           .begin = begin,
                                           .release = begin};
