/*
 * Packages and the requests that asked for them (events 8.1, rules 6 to 9). Part of the family of load times:
 * requests by number, after addresses were looked up.
 */
#ifndef TK_FORMAT_UTRACE_FAMILIES_LOADING_LOAD_REQUESTS_H
#define TK_FORMAT_UTRACE_FAMILIES_LOADING_LOAD_REQUESTS_H

#include "base/record_map.h"
#include "format/utrace/feed/family.h"

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

#endif
