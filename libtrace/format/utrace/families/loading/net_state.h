/*
 * Network: state of the network family, and its handlers by what they are about (events 8.7).
 *
 *   fam_net.c       the beginning, names, numbers of packets and frames
 *   net_state.c     numbers of names, room for connections
 *   net_link.c      instances of the game and their connections
 *   net_object.c    objects and what they cost
 *   net_packet.c    packets; net_entries.c what they hold
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_NET_NET_STATE_H
#define TK_FORMAT_UTRACE_FAMILIES_NET_NET_STATE_H

#include "base/record_map.h"
#include "format/utrace/families/loading/net_entries.h"

/* A direction of a connection. */
struct tk_ut_net_way {
    struct tk_ut_net_entries content;
    uint32_t sequence; /* of the last packet */
    bool has_sequence;
};

struct tk_ut_net_instance {
    const struct tk_str *name;
    bool has_server, server;
};

struct tk_ut_net {
    struct tk_record_map ways;      /* instance, connection, direction -> struct tk_ut_net_way */
    struct tk_record_map instances; /* id -> struct tk_ut_net_instance */
    struct tk_record_map links;     /* instance, id -> struct tk_fact_net_link of its last use */
    struct tk_record_map objects;   /* tk_ut_net_object_key -> uint32_t, number of the name */
    struct tk_ut_net_names names;
    uint64_t again;  /* connections whose id was in use before */
    uint64_t looked; /* at connections, because their instance changed */
    int64_t time;    /* of the last packet or frame, cycles since the start */
    uint32_t version;
    bool began, noted;
};

/* A fact of the time of the last packet or frame. */
static inline struct tk_fact tk_ut_net_fact(const struct tk_ut_feed *feed, const struct tk_ut_event *ev,
                                            const struct tk_ut_net *s, enum tk_fact_kind kind)
{
    return tk_ut_fact(feed, ev, kind, s->time);
}

/* The number of a name. TK_OK (0 when there are too many, which is noted) or TK_ENOMEM. */
int tk_ut_net_number(struct tk_ut_feed *feed, struct tk_ut_net *s, const struct tk_ut_event *ev, uint64_t id,
                     uint32_t *number);

/* The number (fact/net.h) of the connection that uses an id now. */
uint32_t tk_ut_net_connection(const struct tk_ut_net *s, uint32_t instance, uint64_t id);

/* Is there room for one more connection, or direction of one? Notes it when not. */
bool tk_ut_net_has_room(struct tk_ut_feed *feed, const struct tk_record_map *live,
                        const struct tk_ut_event *ev);

/* Handlers (tk_ut_bind); the state is a struct tk_ut_net. */
int tk_ut_net_on_instance(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_connected(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_closed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_instance_end(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_state(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_link(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_destroyed(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_sub_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_polled(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_quantized(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_written(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_content(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_packet(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_net_on_dropped(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);

#endif
