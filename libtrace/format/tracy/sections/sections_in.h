/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_TRACY_SECTIONS_SECTIONS_IN_H
#define TK_FORMAT_TRACY_SECTIONS_SECTIONS_IN_H

#include "format/tracy/walk/section.h"

/*
 * The zones of a thread: read as they stand in its section (sec_zones.c), sent as runs of scopes and as
 * records.
 */

/* The thread under way. */
struct tk_tracy_thread {
    uint64_t at, tid, zones, events;
    uint64_t unknown; /* zones whose location does not exist */
    uint32_t number, lane;
    bool fiber, wanted, has_lane;
};

/* Kept from thread to thread; zero to begin. */
struct tk_tracy_thread_zones {
    struct tk_tracy_thread thread;
    bool inside;                  /* its zones */
    uint64_t zones_at;            /* offset of the number of zones of the first level */
    bool told_none, told_unknown; /* the timers of zones without location */
};

/*
 * Goes on with the zones of the thread; *done: they are behind. Zones that nobody wants are skipped by
 * arithmetic. TK_OK, TK_ITEM (the batch is full) or TK_ENOMEM.
 */
int tk_tracy_thread_zones_step(struct tk_tracy_walk *w, struct tk_tracy_thread_zones *s, bool *done);

#endif
