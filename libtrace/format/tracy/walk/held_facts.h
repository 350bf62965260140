/*
 * Facts that wait until they can be sent in order of time. The file stores frames, the points of each plot
 * and the allocations of each pool one after another; who puts values and memory together needs them in order
 * of time, releases between allocations. So they are held until the last of these sections is walked. Those
 * above the limit `ordered_facts` are left out.
 */
#ifndef TK_FORMAT_TRACY_FEED_HELD_FACTS_H
#define TK_FORMAT_TRACY_FEED_HELD_FACTS_H

#include "base/vec.h"
#include "fact/fact.h"

struct tk_tracy_walk;

/* One fact, without what all have in common. */
struct tk_tracy_held_fact {
    int64_t time;   /* ns */
    uint64_t order; /* of facts of one time */
    uint32_t thread;
    uint16_t kind; /* FRAME, COUNTER_VALUE or MEMORY */
    union {
        struct tk_fact_frame frame;
        struct tk_fact_counter_value value;
        struct tk_fact_memory memory;
    } u;
};

struct tk_tracy_held {
    TK_VEC(struct tk_tracy_held_fact) v;
    uint64_t order; /* the next one that is free */
    uint64_t lost;
    size_t told;
    bool sorted;
};

/* Facts because of which others wait. */
#define TK_TRACY_ORDERED (TK_FACT_MASK(COUNTER_VALUE) | TK_FACT_MASK(MEMORY))

/* Takes a fact that waits. TK_OK or TK_ENOMEM. */
int tk_tracy_held_take(struct tk_tracy_walk *w, const struct tk_tracy_held_fact *fact);

/* Tells what is held until the batch is full: TK_ITEM; TK_OK when all is told; TK_ENOMEM. */
int tk_tracy_held_tell(struct tk_tracy_walk *w);

void tk_tracy_held_release(struct tk_tracy_held *held);

#endif
