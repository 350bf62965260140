/*
 * Objects that are replicated, and the cycles that they cost (events 8.7).
 */
#include "format/utrace/families/loading/net_state.h"

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
