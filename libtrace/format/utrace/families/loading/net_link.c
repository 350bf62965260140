/*
 * Instances of the game, and the connections of each: every change says the connection anew
 * (events 8.7).
 */
#include "format/utrace/families/loading/net_state.h"

static void put_instance(struct tk_fact_net_link *link, const struct tk_ut_net_instance *in)
{
    link->instance_name = in->name;
    link->has_server = in->has_server;
    link->server = in->server;
}

/* What is known of a connection, made up when it is met first. TK_ITEM, TK_OK when there is no room,
 * TK_ENOMEM. */
static int link_of(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev,
                   uint32_t instance, uint32_t connection, struct tk_fact_net_link **out)
{
    uint64_t key = (uint64_t)instance << 32 | connection;
    struct tk_fact_net_link *link = *out = tk_record_map_get(&s->links, key);
    if (link)
        return TK_ITEM;
    if (!tk_ut_net_has_room(feed, &s->links, ev))
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
