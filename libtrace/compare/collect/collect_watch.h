/*
 * What single frames of a run being collected took, of the timers that somebody watches (struct tk_watch).
 * Part of collect.c; without a watch it costs nothing.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_WATCH_H
#define TK_COMPARE_COLLECT_COLLECT_WATCH_H

#include "compare/collect/collect_frames.h"
#include "query/slices.h"

/* Who is watched. Zero-initialise, then tk_collect_watch_init. */
struct tk_collect_watch {
    const struct tk_watch *of;              /* borrowed; NULL: nobody */
    const struct tk_collect_frames *frames; /* borrowed */
    TK_VEC(uint32_t) marks;                 /* by timer: TK_WATCH_... */
};

#define TK_WATCH_SLOT                                                                                        \
    UINT32_C(0x7fffffff)                    /* 1 + the first of those watched that has its name; 0: none has \
                                             */
#define TK_WATCH_WAITS UINT32_C(0x80000000) /* it is not among those that work */

void tk_collect_watch_init(struct tk_collect_watch *w, const struct tk_watch *of,
                           const struct tk_collect_frames *frames);

/* Learns names of timers. 0, or -1 if out of memory. */
int tk_collect_watch_feed(struct tk_collect_watch *w, const struct tk_batch *batch);

/* What a timer is, by its name. */
uint32_t tk_collect_watch_mark(const struct tk_collect_watch *w, const struct tk_str *name);

void tk_collect_watch_release(struct tk_collect_watch *w);

/* Times of those watched on the threads of a class, or a queue. Zero-initialised it watches nobody. */
struct tk_watched_sums {
    const struct tk_collect_watch *watch; /* borrowed */
    bool all;                             /* the timers of the class that work are watched together */
    int64_t **v; /* owned: 0 the ones that work, then of each slot; by frame of the capture; NULL: none */
};

/* 0, or -1 if out of memory; to be released also then. */
int tk_watched_sums_init(struct tk_watched_sums *s, const struct tk_collect_watch *watch, uint8_t lane_kind,
                         const struct tk_str *class);
int tk_watched_sums_take(struct tk_watched_sums *s, const struct tk_slices *slices);
int tk_watched_sums_merge(struct tk_watched_sums *into, const struct tk_watched_sums *from);

/* The frames of a timer are not known: its name came too late. */
void tk_watched_sums_forget(struct tk_watched_sums *s, const struct tk_str *name);

/* Gives the run what there is, as of a group of series. 0, or -1 if out of memory. */
int tk_watched_sums_tell(const struct tk_watched_sums *s, struct tk_base_run *run, uint8_t kind,
                         const struct tk_str *group);
void tk_watched_sums_release(struct tk_watched_sums *s);

#endif
