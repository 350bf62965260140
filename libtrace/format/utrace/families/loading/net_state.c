/*
 * What the handlers of the network family share.
 */
#include "format/utrace/families/loading/loading_in.h"

/*
 * Entries of packet contents.
 *
 *   0 object, 1 name   u8 level, varint id, varint start (bits after the start before), varint length
 *   2 bunch            varint name id; from version 4 on: varint bits; before: varint start, varint end
 *   3 bunch header     varint parts, varint header bits; unless these are 0, from version 2 on: varint info
 *
 * The parts of a bunch come first, then the bunch, then its header. Parts of a merged bunch (no header bits)
 * are followed by others that stand behind it.
 */

enum { ENTRY_OBJECT, ENTRY_NAME, ENTRY_BUNCH, ENTRY_HEADER };

#define VERSION_CHANNEL 2 /* info is the channel */
#define VERSION_INFO    3 /* info has more fields; the channel is its lowest bits */
#define VERSION_SIZE    4 /* bunches by size */
#define CHANNEL_MASK    0xfffffu
#define NO_CHANNEL      UINT32_MAX

uint32_t tk_ut_net_name(struct tk_ut_net_names *names, uint64_t id)
{
    uint32_t number = tk_map_get(&names->index, id);
    if (number != TK_MAP_NONE)
        return number;
    if (names->n >= names->most)
        return 0;
    return tk_map_put(&names->index, id, ++names->n) ? UINT32_MAX : names->n;
}

static uint32_t object_name(const struct tk_ut_net_reader *reader, uint64_t id)
{
    const uint32_t *name = tk_record_map_get(reader->objects, tk_ut_net_object_key(reader->instance, id));
    return name ? *name : 0;
}

/* `start` runs over the parts of one event. */
static int take_part_net_entries(struct tk_ut_net_entries *c, const struct tk_ut_net_reader *reader,
                                 struct tk_cur *cur, bool is_object, uint64_t *start)
{
    struct tk_net_part part = {.is_object = is_object, .level = tk_u8(cur, "level")};
    part.id = tk_varint(cur, "id");
    *start += tk_varint(cur, "start");
    part.bits = tk_varint(cur, "length");
    if (!tk_cur_ok(cur))
        return TK_EDAMAGE;
    part.begin = c->offset + *start;
    part.name = is_object ? object_name(reader, part.id) : tk_ut_net_name(reader->names, part.id);
    part.id = is_object ? part.id : 0;
    return part.name == UINT32_MAX || tk_vec_push(&c->parts, part) ? TK_ENOMEM : TK_OK;
}

static int take_bunch(struct tk_ut_net_entries *c, const struct tk_ut_net_reader *reader, struct tk_cur *cur)
{
    uint64_t name = tk_varint(cur, "name");
    uint64_t bits = tk_varint(cur, "bits");
    if (reader->version < VERSION_SIZE)
        bits += tk_varint(cur, "end");
    if (!tk_cur_ok(cur))
        return TK_EDAMAGE;
    struct tk_net_bunch bunch = {.name = name ? tk_ut_net_name(reader->names, name) : 0,
                                 .channel = NO_CHANNEL,
                                 .first = c->taken,
                                 .bits = bits};
    return bunch.name == UINT32_MAX || tk_vec_push(&c->bunches, bunch) ? TK_ENOMEM : TK_OK;
}

/* A bunch with a name gives it to its channel, one without takes the channel's. */
static int name_channel(struct tk_ut_net_entries *c, struct tk_net_bunch *bunch)
{
    uint32_t at = tk_map_get(&c->channels, bunch->channel);
    if (!bunch->name) {
        bunch->name = at == TK_MAP_NONE ? 0 : c->channel_names.v[at];
        return TK_OK;
    }
    if (at != TK_MAP_NONE) {
        c->channel_names.v[at] = bunch->name;
        return TK_OK;
    }
    at = (uint32_t)c->channel_names.n;
    return tk_vec_push(&c->channel_names, bunch->name) || tk_map_put(&c->channels, bunch->channel, at)
               ? TK_ENOMEM
               : TK_OK;
}

/* Applies to the last bunch and the last of the parts. */
static int take_header(struct tk_ut_net_entries *c, const struct tk_ut_net_reader *reader, struct tk_cur *cur)
{
    uint64_t count = tk_varint(cur, "parts");
    uint64_t header_bits = tk_varint(cur, "header bits");
    bool has_info = header_bits && reader->version >= VERSION_CHANNEL;
    uint64_t info = has_info ? tk_varint(cur, "info") : 0;
    if (!tk_cur_ok(cur) || !c->bunches.n)
        return TK_EDAMAGE;
    struct tk_net_bunch *bunch = &c->bunches.v[c->bunches.n - 1];
    uint64_t most = c->parts.n - c->taken;
    bunch->n = (uint32_t)(count < most ? count : most);
    bunch->first = (uint32_t)c->parts.n - bunch->n;
    bunch->header_bits = header_bits;
    c->taken = (uint32_t)c->parts.n;
    c->offset = header_bits ? 0 : bunch->bits;
    if (!has_info)
        return TK_OK;
    bunch->channel = (uint32_t)(reader->version >= VERSION_INFO ? info & CHANNEL_MASK : info);
    return name_channel(c, bunch);
}

static int take_entry(struct tk_ut_net_entries *c, const struct tk_ut_net_reader *reader, struct tk_cur *cur,
                      uint64_t *start)
{
    uint8_t type = tk_u8(cur, "type");
    if (type == ENTRY_OBJECT || type == ENTRY_NAME)
        return take_part_net_entries(c, reader, cur, type == ENTRY_OBJECT, start);
    if (type == ENTRY_HEADER)
        return take_header(c, reader, cur);
    if (type != ENTRY_BUNCH)
        return TK_EDAMAGE;
    *start = 0;
    return take_bunch(c, reader, cur);
}

int tk_ut_net_entries_feed(struct tk_ut_net_entries *c, const struct tk_ut_net_reader *reader,
                           struct tk_bytes data, uint64_t most)
{
    struct tk_cur cur = tk_cur_of(data.p ? data.p : (const uint8_t *)"", data.n);
    uint64_t start = 0;
    int rc = TK_OK;
    while (tk_cur_left(&cur) && rc == TK_OK) {
        if (c->parts.n >= most || c->bunches.n >= most)
            return TK_ELIMIT;
        rc = take_entry(c, reader, &cur, &start);
    }
    return rc;
}

void tk_ut_net_entries_clear(struct tk_ut_net_entries *c)
{
    c->parts.n = c->bunches.n = 0;
    c->offset = 0;
    c->taken = 0;
}

void tk_ut_net_entries_release(struct tk_ut_net_entries *c)
{
    tk_vec_release(&c->parts);
    tk_vec_release(&c->bunches);
    tk_map_release(&c->channels);
    tk_vec_release(&c->channel_names);
    *c = (struct tk_ut_net_entries){.taken = 0};
}

/*
 * Instances of the game, and the connections of each: every change says the connection anew
 * (events 8.7).
 */

static void put_instance(struct tk_fact_net_link *link, const struct tk_ut_net_instance *in)
{
    link->instance_name = in->name;
    link->has_server = in->has_server;
    link->server = in->server;
}

/* What is known of a connection, made up when it is met first. TK_ITEM, TK_OK when there is no space,
 * TK_ENOMEM. */
static int link_of(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev,
                   uint32_t instance, uint32_t connection, struct tk_fact_net_link **out)
{
    uint64_t key = (uint64_t)instance << 32 | connection;
    struct tk_fact_net_link *link = *out = tk_record_map_get(&s->links, key);
    if (link)
        return TK_ITEM;
    if (!tk_ut_net_has_space(feed, &s->links, ev))
        return TK_OK;
    if (!(link = *out = tk_record_map_put(&s->links, key)))
        return TK_ENOMEM;
    const struct tk_ut_net_instance *in = tk_record_map_get(&s->instances, instance);
    link->instance = instance;
    link->connection = connection;
    if (in)
        put_instance(link, in);
    return TK_ITEM;
}

static int say_link(struct tk_ut_feed *feed, const struct tk_ut_net *s, const struct tk_ut_event *ev,
                    const struct tk_fact_net_link *link)
{
    struct tk_fact fact = tk_ut_net_fact(feed, ev, s, TK_FACT_NET_LINK);
    fact.u.net_link = *link;
    return tk_ut_emit(feed, &fact);
}

/*
 * Says the connections of an instance anew, which has changed, or ended (in NULL). Each look at one counts,
 * because a file can ask for all of them with every event.
 */
static int say_links(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev, uint32_t id,
                     const struct tk_ut_net_instance *in)
{
    int rc = TK_OK;
    if ((s->looked += s->links.n) > feed->capture->ctx->limits.definitions) {
        tk_health_limit(&feed->out->health, TK_LIMIT_definitions, ev->offset, 1,
                        "network connections no longer follow their game instance");
        return TK_OK;
    }
    for (uint32_t i = 0; i < s->links.n && rc == TK_OK; i++) {
        uint64_t key;
        struct tk_fact_net_link *link = tk_record_map_at(&s->links, i, &key);
        if (!link || link->instance != id)
            continue;
        if (in)
            put_instance(link, in);
        else
            link->closed = true;
        rc = say_link(feed, s, ev, link);
    }
    return rc;
}

enum { IN_ID, IN_SERVER, IN_NAME };

int tk_ut_net_on_instance(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    uint32_t id = (uint32_t)tk_ut_u64(ev, IN_ID);
    struct tk_ut_net_instance *in = tk_record_map_put(&s->instances, id);
    if (!in || !(in->name = tk_ut_str(feed, ev, IN_NAME, 2)))
        return TK_ENOMEM;
    in->has_server = tk_ut_has(ev, IN_SERVER);
    in->server = tk_ut_u64(ev, IN_SERVER) != 0;
    return say_links(feed, s, ev, id, in);
}

enum { L_CONNECTION, L_INSTANCE, L_STATE, L_NAME = L_STATE, L_ADDRESS };

static int link_in(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev,
                   struct tk_fact_net_link **out)
{
    return link_of(feed, s, ev, (uint32_t)tk_ut_u64(ev, L_INSTANCE),
                   TK_NET_CONNECTION_ID((uint32_t)tk_ut_u64(ev, L_CONNECTION)), out);
}

/* The id of a closed connection is used again: the next one knows nothing of the one before. */
static void use_again(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev,
                      struct tk_fact_net_link *link)
{
    const struct tk_ut_net_instance *in = tk_record_map_get(&s->instances, link->instance);
    if (s->links.count + s->again >= feed->capture->ctx->limits.connections ||
        link->connection > UINT32_MAX - 2 * TK_NET_CONNECTION_USE) {
        tk_health_limit(&feed->out->health, TK_LIMIT_connections, ev->offset, 1,
                        "a network connection is merged with the one that had its id before");
        return;
    }
    s->again++;
    *link = (struct tk_fact_net_link){.instance = link->instance,
                                      .connection = link->connection + TK_NET_CONNECTION_USE};
    if (in)
        put_instance(link, in);
}

int tk_ut_net_on_connected(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_net_link *link;
    int rc = link_in(feed, state, ev, &link);
    if (rc != TK_ITEM)
        return rc;
    if (link->closed)
        use_again(feed, state, ev, link);
    link->closed = false;
    return say_link(feed, state, ev, link);
}

int tk_ut_net_on_closed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_net_link *link;
    int rc = link_in(feed, state, ev, &link);
    if (rc != TK_ITEM)
        return rc;
    link->closed = true;
    return say_link(feed, state, ev, link);
}

/* All its connections are closed with it. */
int tk_ut_net_on_instance_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return say_links(feed, state, ev, (uint32_t)tk_ut_u64(ev, IN_ID), NULL);
}

int tk_ut_net_on_state(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact_net_link *link;
    int rc = link_in(feed, state, ev, &link);
    if (rc != TK_ITEM)
        return rc;
    link->state = (uint8_t)tk_ut_u64(ev, L_STATE);
    return say_link(feed, state, ev, link);
}

int tk_ut_net_on_link(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
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

int tk_ut_net_number(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev, uint64_t id,
                     uint32_t *number)
{
    s->names.most = feed->capture->ctx->limits.rows;
    *number = tk_ut_net_name(&s->names, id);
    if (!*number)
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, ev->offset, 1, "a network name was left out");
    return *number == UINT32_MAX ? TK_ENOMEM : TK_OK;
}

uint32_t tk_ut_net_connection(const struct tk_ut_net *s, uint32_t instance, uint64_t id)
{
    const struct tk_fact_net_link *link =
        tk_record_map_get(&s->links, (uint64_t)instance << 32 | (id & 0xffff));
    return link ? link->connection : (uint32_t)(id & 0xffff);
}

bool tk_ut_net_has_space(struct tk_ut_feed *feed, const struct tk_record_map *live,
                         const struct tk_ut_event *ev)
{
    if (live->count < feed->capture->ctx->limits.connections)
        return true;
    tk_health_limit(&feed->out->health, TK_LIMIT_connections, ev->offset, 1,
                    "a network connection was left out");
    return false;
}
