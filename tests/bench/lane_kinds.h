/*
 * Events of all kinds of lanes that the viewer has, as a program records them: they agree with each other, so
 * that tasks start behind their launch, cores run one thread at a time, locks are released. For measuring
 * windows of a capture that has all of it.
 */
#ifndef TK_BENCH_LANE_KINDS_H
#define TK_BENCH_LANE_KINDS_H

#include "random.h"
#include "utrace_writer.h"

enum { TK_LANE_KINDS_TYPES = 48, TK_LANE_KINDS_FIELDS = 8 };

struct tk_lane_kinds {
    struct tk_uw_type types[TK_LANE_KINDS_TYPES];
    struct tk_uw_field fields[TK_LANE_KINDS_TYPES][TK_LANE_KINDS_FIELDS];
    char names[TK_LANE_KINDS_TYPES][160];
    uint64_t events;   /* written so far */
    uint64_t tasks;    /* launched so far */
    uint64_t packages; /* loaded so far */
    uint64_t frames;
};

/* Declares the types, and writes definitions. */
void tk_lane_kinds_start(struct tk_lane_kinds *k, struct tk_uw *uw);

/*
 * Writes what happened in the 17 ms from `from` on, cycles of 10 MHz, on the first eight of at least eight
 * lanes, whose threads of the system have the ids first_thread and following.
 */
void tk_lane_kinds_write(struct tk_lane_kinds *k, struct tk_uw *uw, struct tk_uw_lane *const *lanes,
                         uint32_t first_thread, struct tk_random *random, uint64_t from);

#endif
