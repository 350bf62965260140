/*
 * Packets. The content of a packet is recorded before the packet, by connection and direction (events 8.7).
 */
#include "format/utrace/families/loading/loading_in.h"

#include <string.h>

/*
 * Objects that are replicated, and the cycles that they cost (events 8.7).
 */

enum { O_ID, O_INSTANCE, O_OTHER, O_TYPE, O_OWNER };

static struct tk_fact object(const struct tk_ut_feed *feed, const struct tk_ut_net *s,
                             const struct tk_ut_event *ev, enum tk_net_object_op op)
{
    struct tk_fact fact = tk_ut_net_fact(feed, ev, s, TK_FACT_NET_OBJECT);
    fact.u.net_object = (struct tk_fact_net_object){
        .instance = (uint32_t)tk_ut_u64(ev, O_INSTANCE), .id = tk_ut_u64(ev, O_ID), .op = (uint8_t)op};
    return fact;
}

int tk_ut_net_on_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    struct tk_fact fact = object(feed, s, ev, TK_NET_CREATED);
    struct tk_fact_net_object *o = &fact.u.net_object;
    uint64_t key = tk_ut_net_object_key(o->instance, o->id);
    o->owner = (uint32_t)tk_ut_u64(ev, O_OWNER);
    o->type = tk_ut_u64(ev, O_TYPE);
    if (tk_ut_net_number(feed, s, ev, tk_ut_u64(ev, O_OTHER), &o->name) != TK_OK)
        return TK_ENOMEM;
    if (s->objects.count >= feed->capture->ctx->limits.rows && !tk_record_map_get(&s->objects, key)) {
        tk_health_limit(&feed->out->health, TK_LIMIT_rows, ev->offset, 1, "a network object was left out");
        return TK_OK;
    }
    uint32_t *slot = tk_record_map_put(&s->objects, key);
    if (!slot)
        return TK_ENOMEM;
    *slot = o->name;
    return tk_ut_emit(feed, &fact);
}

int tk_ut_net_on_destroyed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    struct tk_fact fact = object(feed, s, ev, TK_NET_DESTROYED);
    tk_record_map_remove(&s->objects, tk_ut_net_object_key(fact.u.net_object.instance, fact.u.net_object.id));
    return tk_ut_emit(feed, &fact);
}

int tk_ut_net_on_sub_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = object(feed, state, ev, TK_NET_PARENT);
    fact.u.net_object.parent = tk_ut_u64(ev, O_OTHER);
    return tk_ut_emit(feed, &fact);
}

static int cost(struct tk_ut_feed *feed, const struct tk_ut_net *s, const struct tk_ut_event *ev,
                enum tk_net_object_op op)
{
    struct tk_fact fact = object(feed, s, ev, op);
    fact.u.net_object.cycles = tk_ut_u64(ev, O_OTHER);
    return tk_ut_emit(feed, &fact);
}

int tk_ut_net_on_polled(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return cost(feed, state, ev, tk_ut_u64(ev, O_TYPE) ? TK_NET_WASTED : TK_NET_POLLED);
}

int tk_ut_net_on_quantized(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return cost(feed, state, ev, TK_NET_QUANTIZED);
}

int tk_ut_net_on_written(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    return cost(feed, state, ev, TK_NET_WRITTEN);
}

/* TK_ITEM, TK_OK when there is no space, TK_ENOMEM. */
static int way_of(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev,
                  uint32_t instance, uint32_t connection, bool incoming, struct tk_ut_net_way **out)
{
    uint64_t key = (uint64_t)instance << 33 | (uint64_t)connection << 1 | incoming;
    struct tk_ut_net_way *way = *out = tk_record_map_get(&s->ways, key);
    if (way)
        return TK_ITEM;
    if (!tk_ut_net_has_space(feed, &s->ways, ev))
        return TK_OK;
    *out = tk_record_map_put(&s->ways, key);
    return *out ? TK_ITEM : TK_ENOMEM;
}

static void need_version(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev)
{
    if (s->began || s->noted)
        return;
    s->noted = true;
    tk_health_note(&feed->out->health, TK_HEALTH_DEFINITION_MISSING, ev->offset, 1,
                   "packets come before the version of their contents is declared; version 5 is assumed");
}

enum { C_CONNECTION, C_INSTANCE, C_TYPE, C_DATA };

int tk_ut_net_on_content(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    uint32_t instance = (uint32_t)tk_ut_u64(ev, C_INSTANCE);
    struct tk_ut_net_reader reader = {&s->names, &s->objects, instance, s->version};
    struct tk_ut_net_way *way;
    int rc = way_of(feed, s, ev, instance, tk_ut_net_connection(s, instance, tk_ut_u64(ev, C_CONNECTION)),
                    tk_ut_u64(ev, C_TYPE) != 0, &way);
    if (rc != TK_ITEM)
        return rc;
    need_version(feed, s, ev);
    s->names.most = feed->capture->ctx->limits.rows;
    rc = tk_ut_net_entries_feed(&way->content, &reader, tk_ut_bytes(ev, C_DATA),
                                feed->capture->ctx->limits.held_events);
    if (rc == TK_EDAMAGE)
        tk_ut_bad_payload(feed, ev, "an entry is cut off or of no known type");
    if (rc == TK_ELIMIT)
        tk_health_limit(&feed->out->health, TK_LIMIT_held_events, ev->offset, 1,
                        "content of a packet was left out");
    return rc == TK_ENOMEM ? rc : TK_OK;
}

/* Numbers that are skipped by what comes in are packets that were lost. */
static int say_missing(struct tk_ut_feed *feed, const struct tk_ut_net *s, const struct tk_ut_event *ev,
                       const struct tk_ut_net_way *way, const struct tk_fact_net_packet *p)
{
    uint32_t ahead = p->sequence - way->sequence;
    if (!p->incoming || !way->has_sequence || ahead < 2 || ahead > INT32_MAX)
        return TK_OK;
    struct tk_fact fact = tk_ut_net_fact(feed, ev, s, TK_FACT_NET_LOSS);
    fact.u.net_loss = (struct tk_fact_net_loss){.instance = p->instance,
                                                .connection = p->connection,
                                                .first = way->sequence + 1,
                                                .last = p->sequence - 1,
                                                .incoming = true};
    return tk_ut_emit(feed, &fact);
}

/* Everything in a packet, copied to live as long as the batch. */
static int copy_content(struct tk_ut_feed *feed, const struct tk_ut_net_entries *c,
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

int tk_ut_net_on_packet(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_ut_net *s = state;
    uint32_t instance = (uint32_t)tk_ut_u64(ev, P_INSTANCE);
    struct tk_fact_net_packet p = {.instance = instance,
                                   .connection =
                                       tk_ut_net_connection(s, instance, tk_ut_u64(ev, P_CONNECTION)),
                                   .sequence = (uint32_t)tk_ut_u64(ev, P_SEQUENCE),
                                   .incoming = tk_ut_u64(ev, P_TYPE) != 0,
                                   .bits = tk_ut_u64(ev, P_BITS)};
    struct tk_ut_net_way *way;
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
    tk_ut_net_entries_clear(&way->content);
    struct tk_fact fact = tk_ut_net_fact(feed, ev, s, TK_FACT_NET_PACKET);
    fact.u.net_packet = p;
    return rc == TK_OK ? tk_ut_emit(feed, &fact) : rc;
}

int tk_ut_net_on_dropped(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev)
{
    struct tk_fact fact = tk_ut_fact(feed, ev, TK_FACT_NET_LOSS, tk_ut_since(feed, tk_ut_u64(ev, P_TIME)));
    uint32_t sequence = (uint32_t)tk_ut_u64(ev, P_SEQUENCE);
    uint32_t instance = (uint32_t)tk_ut_u64(ev, P_INSTANCE);
    fact.u.net_loss = (struct tk_fact_net_loss){
        .instance = instance,
        .connection = tk_ut_net_connection(state, instance, tk_ut_u64(ev, P_CONNECTION)),
        .first = sequence,
        .last = sequence,
        .incoming = tk_ut_u64(ev, P_TYPE) != 0,
        .reported = true};
    return tk_ut_emit(feed, &fact);
}
