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
#ifndef TK_FORMAT_UTRACE_FAMILIES_LOADING_LOAD_STATE_H
#define TK_FORMAT_UTRACE_FAMILIES_LOADING_LOAD_STATE_H

#include "base/record_map.h"
#include "format/utrace/families/loading/load_requests.h"
#include "format/utrace/feed/id_names.h"

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
 * their linker. TK_ITEM, TK_OK: no room, TK_ENOMEM. */
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

#endif
