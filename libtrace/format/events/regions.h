/*
 * Facts of asynchronous work: begins and ends with one key become regions (import 3.6).
 */
#ifndef TK_FORMAT_EVENTS_REGIONS_H
#define TK_FORMAT_EVENTS_REGIONS_H

#include "format/events/capture.h"
#include "format/events/ordered.h"

/* A region that is open: a list by key. */
struct tk_ev_open_region {
    uint32_t id, name, outer; /* place in `open` + 1; 0: none */
};

/* Where the list of a key begins: place in `open` + 1; 0: the slot is empty. */
struct tk_ev_open_key {
    uint64_t key;
    uint32_t innermost;
};

/* Zero-initialise to begin. */
struct tk_ev_regions {
    TK_VEC(struct tk_ev_open_region) open; /* what is not open any more is a list, too: */
    uint32_t unused;                       /* place in `open` + 1 */
    struct tk_ev_open_key *slots;          /* owned: open-addressed, of keys that have open regions */
    size_t mask, keys;
    uint32_t begun; /* regions in all */
    uint64_t without_begin, matched;
    uint64_t first_unmatched; /* the place in the track of an end without a begin + 1; 0: there is none */
};

/* Makes the fact of a begin or an end. 1: there is one; 0: an end of nothing; -1 without memory. */
int tk_ev_regions_take(struct tk_ev_regions *r, const struct tk_ev_capture *c, const struct tk_ev_item *item,
                       struct tk_fact *fact);

void tk_ev_regions_release(struct tk_ev_regions *r);

#endif
