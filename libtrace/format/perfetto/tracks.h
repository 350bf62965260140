/*
 * Tracks: what events of Perfetto lie on, and whose they are (import 5.4).
 */
#ifndef TK_FORMAT_PERFETTO_TRACKS_H
#define TK_FORMAT_PERFETTO_TRACKS_H

#include "format/events/feed.h"
#include "format/perfetto/message.h"

/* Whose a track is. */
enum tk_pf_owner {
    TK_PF_NOT_ASKED,
    TK_PF_NOBODY,  /* of the whole trace */
    TK_PF_PROCESS, /* of a process */
    TK_PF_THREAD,  /* the thread's own, or below it: `own` */
    TK_PF_BROKEN   /* a parent is missing, or a circle */
};

struct tk_pf_track {
    uint64_t uuid, parent;
    uint32_t name; /* or TK_EV_NO_NAME */
    bool has_parent, has_pid, has_tid;
    bool counter, incremental;
    uint8_t unit; /* enum tk_counter_unit */
    int64_t pid, tid, multiplier;
    uint8_t owner; /* enum tk_pf_owner, once asked */
    bool own;
    uint32_t thread, process; /* places in the capture */
};

struct tk_pf_tracks {
    TK_VEC(struct tk_pf_track) list;
    struct tk_map index;
    size_t last; /* the place of the one looked up last */
};

/* The track of a uuid, or NULL. Most are the one before. */
struct tk_pf_track *tk_pf_track_find(struct tk_pf_tracks *t, uint64_t uuid);

static inline struct tk_pf_track *tk_pf_track_of(struct tk_pf_tracks *t, uint64_t uuid)
{
    if (t->last < t->list.n && t->list.v[t->last].uuid == uuid)
        return &t->list.v[t->last];
    return tk_pf_track_find(t, uuid);
}

/*
 * A TrackDescriptor. *thread gets the ThreadDescriptor in it, n 0 without one; *trouble what is wrong with
 * it, -1: nothing. 1; -1: broken; -2: out of memory.
 */
int tk_pf_tracks_describe(struct tk_pf_tracks *t, struct tk_ev_capture *c, struct tk_bytes message,
                          struct tk_bytes *thread, int *trouble);

/* Whose a track is; *thread and *process are places, or UINT32_MAX. TK_PF_NOT_ASKED if out of memory. */
enum tk_pf_owner tk_pf_track_owner(struct tk_pf_tracks *t, struct tk_ev_capture *c, uint64_t uuid, bool *own,
                                   uint32_t *thread, uint32_t *process);

/* pids and tids are 32 bits of an integer with a sign. */
int64_t tk_pf_pid(uint64_t value);

/* How many tracks have a parent that is not described. */
uint64_t tk_pf_tracks_without_parent(const struct tk_pf_tracks *t);

void tk_pf_tracks_release(struct tk_pf_tracks *t);

#endif
