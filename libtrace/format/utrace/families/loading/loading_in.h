/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_LOADING_LOADING_IN_H
#define TK_FORMAT_UTRACE_FAMILIES_LOADING_LOADING_IN_H

#include "base/hash.h"
#include "base/record_map.h"
#include "base/vec.h"
#include "format/utrace/feed/family.h"

/*
 * Packages and the requests that requested them (events 8.1, rules 6 to 9). Part of the family of load times:
 * requests by number, after addresses were looked up.
 */

struct tk_ut_load_package {
    struct tk_fact_package info;
    TK_VEC(uint32_t) imports; /* packages that join its request */
};

struct tk_ut_load_request {
    uint32_t thread;
    uint32_t group; /* 1 + place of the group, 0 none */
    bool ended;
    uint64_t id, seq; /* id: in the capture, 0 for none */
    int64_t begin, end;
    uint64_t packages;
};

struct tk_ut_load_group {
    const struct tk_str *name;
    uint32_t thread;
    int64_t begin, end;
    uint64_t requests, open, packages;
};

/* What is open on a thread. */
struct tk_ut_load_thread {
    uint32_t group, depth;      /* the outermost group: 1 + place; groups open */
    TK_VEC(uint32_t) anonymous; /* requests without an id, last in first out */
};

struct tk_ut_load {
    TK_VEC(struct tk_ut_load_package) packages; /* by id */
    TK_VEC(struct tk_ut_load_request) requests;
    TK_VEC(struct tk_ut_load_group) groups;
    TK_VEC(uint32_t) work;        /* packages whose imports are to be looked at */
    struct tk_record_map by_id;   /* id in the capture -> uint32_t place of the request */
    struct tk_record_map threads; /* struct tk_ut_load_thread */
    bool acting, has_active;      /* is the loader active, and since when? */
    int64_t since;
    uint32_t thread;
};

/* Makes a package. TK_ITEM, TK_OK when the limit is reached, TK_ENOMEM. */
int tk_ut_load_package(struct tk_ut_feed *feed, struct tk_ut_load *l, uint32_t *id);

/* Groups nest on a thread; the outermost counts. The event has the fields Format and FormatArgs. */
int tk_ut_load_begin_group(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev);
int tk_ut_load_end_group(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev);

/* Requests by id; without one (0) the last one of the thread is meant. time in cycles since the start. */
int tk_ut_load_begin_request(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev,
                             int64_t time, uint64_t id);
int tk_ut_load_end_request(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev,
                           int64_t time, uint64_t id);

/* The package and what it imports belong to a request, unless they belong to one. */
int tk_ut_load_associate(struct tk_ut_load *l, const struct tk_ut_event *ev, uint32_t package, uint64_t id);

int tk_ut_load_import(struct tk_ut_feed *feed, struct tk_ut_load *l, uint32_t package, uint32_t imported);

/* The loader goes on, or pauses. */
int tk_ut_load_activity(struct tk_ut_feed *feed, struct tk_ut_load *l, const struct tk_ut_event *ev,
                        bool active, int64_t time);

/* Says packages, requests and groups. */
int tk_ut_load_finish(struct tk_ut_feed *feed, struct tk_ut_load *l);

void tk_ut_load_release(struct tk_ut_load *l);

/*
 * Load time: state of the family (events 8.1).
 *
 *   fam_load.c     what announces packages, linkers and classes; requests
 *   load_state.c   packages by their addresses
 *   load_step.c    steps of loading on threads: begin and end of what is done for a package or an object
 *   load_requests.c         packages and requests by numbers, after addresses were looked up
 *
 * All keys are addresses and are used again: those of packages and linkers are forgotten when they are
 * destroyed, those of objects when they are made again.
 */

struct tk_ut_load_object {
    uint32_t package;
    uint64_t class_key;
    bool sized; /* its size was counted */
};

/* A step that is under way. */
struct tk_ut_load_step {
    uint32_t package;
    uint8_t op;
    bool ignored, sized;
    uint64_t object, class_key, size;
    int64_t begin, inside; /* cycles since the start; cycles in steps inside it */
};

/* Steps under way on a thread. */
struct tk_ut_load_line {
    TK_VEC(struct tk_ut_load_step) steps;
    uint32_t postload; /* open BeginPostLoad */
};

struct tk_ut_load_state {
    struct tk_record_map packages, linkers; /* address -> uint32_t id */
    struct tk_record_map objects;           /* address -> struct tk_ut_load_object */
    struct tk_record_map threads;           /* id -> struct tk_ut_load_line */
    struct tk_ut_id_names classes;
    struct tk_ut_load load;
};

/* Makes a package of this address; one that it had before is forgotten. As tk_ut_load_find. */
int tk_ut_load_new_package(struct tk_ut_feed *feed, struct tk_ut_load_state *s, uint64_t key, uint32_t *id);

/* The package of an address, made when it is met first; those of the synchronous loader go by the address of
 * their linker. TK_ITEM, TK_OK: no space, TK_ENOMEM. */
int tk_ut_load_find(struct tk_ut_feed *feed, struct tk_ut_load_state *s, uint64_t key, uint32_t *id);

/* The end of a reading: notes steps that have no end. */
void tk_ut_load_note_open(struct tk_ut_feed *feed, const struct tk_ut_load_state *s);

/* Handlers of steps (tk_ut_bind); the state is a struct tk_ut_load_state, and field 0 of each event its
 * cycle. */
int tk_ut_load_on_begin_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_end_summary(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_begin_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_end_create(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_begin_serialize(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_end_serialize(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_begin_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_end_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_begin_postload_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_end_postload_object(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_begin_old(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_end_old(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);
int tk_ut_load_on_begin_old_postload(struct tk_ut_feed *feed, void *state, const struct tk_ut_event *ev);

/*
 * The content of network packets (events 8.7): entries for objects, names, bunches and bunch headers.
 */

/* Content that was reported since the last packet of a connection and direction. */
struct tk_ut_net_entries {
    TK_VEC(struct tk_net_part) parts;
    TK_VEC(struct tk_net_bunch) bunches;
    struct tk_map channels; /* channel -> place in channel_names */
    TK_VEC(uint32_t) channel_names;
    uint64_t offset; /* where the next part's position counts from */
    uint32_t taken;  /* parts that belong to bunches so far */
};

/* Numbers for names, by their ids in the capture, from the first mention on: a name can come after it. */
struct tk_ut_net_names {
    struct tk_map index;
    uint32_t n;    /* numbers given, from 1 on */
    uint64_t most; /* that may be given */
};

/* The number of a name; 0 when there are too many, UINT32_MAX if out of memory. */
uint32_t tk_ut_net_name(struct tk_ut_net_names *names, uint64_t id);

/* What entries are read with. */
struct tk_ut_net_reader {
    struct tk_ut_net_names *names;
    const struct tk_record_map *objects; /* tk_ut_net_object_key -> uint32_t, number of the name */
    uint32_t instance;
    uint32_t version; /* of the writer of the entries */
};

/* The key of an object; ids are of one instance. */
static inline uint64_t tk_ut_net_object_key(uint32_t instance, uint64_t id)
{
    return tk_hash_u64(id) ^ tk_hash_u64(~(uint64_t)instance);
}

/*
 * Takes the entries of one event. TK_OK; TK_ENOMEM; TK_EDAMAGE when they break off or are of no known type
 * (what came before is kept); TK_ELIMIT when there are more than `most` parts.
 */
int tk_ut_net_entries_feed(struct tk_ut_net_entries *c, const struct tk_ut_net_reader *reader,
                           struct tk_bytes data, uint64_t most);

/* The packet is complete: forgets its content, but not the names of channels. */
void tk_ut_net_entries_clear(struct tk_ut_net_entries *c);

void tk_ut_net_entries_release(struct tk_ut_net_entries *c);

/*
 * Network: state of the network family, and its handlers by what they are about (events 8.7).
 *
 *   fam_net.c       the beginning, names, numbers of packets and frames
 *   net_state.c     numbers of names, space for connections
 *   net_link.c      instances of the game and their connections
 *   net_object.c    objects and what they cost
 *   net_packet.c    packets; net_entries.c what they hold
 */

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

/* Is there space for one more connection, or direction of one? Notes it when not. */
bool tk_ut_net_has_space(struct tk_ut_feed *feed, const struct tk_record_map *live,
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
