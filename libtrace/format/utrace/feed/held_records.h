/*
 * Held records: events in the order of the file. One whose array data goes on in later packets is said when
 * that is there; what other threads say until then stands behind it in the file, and waits here.
 */
#ifndef TK_FORMAT_UTRACE_FEED_HELD_RECORDS_H
#define TK_FORMAT_UTRACE_FEED_HELD_RECORDS_H

#include "format/utrace/feed/batch.h"
#include "format/utrace/lanes/lane.h"

#define TK_UT_HELD_LANES 64u         /* of further lanes nobody waits for events */
#define TK_UT_HELD_BYTES (16u << 20) /* with more all is said as it is, not in order */

struct tk_ut_feed;

struct tk_ut_held {
    uint64_t behind; /* events of packets behind this offset are held; UINT64_MAX: none */
    uint64_t passed; /* offset up to which nothing is waited for any more */
    TK_VEC(struct tk_fact) facts;
    struct tk_arena arena; /* their events */
    struct {
        uint32_t tid;
        uint64_t offset; /* of its first event that is not said yet */
    } lanes[TK_UT_HELD_LANES];
    unsigned n_lanes;
};

/* Offset of the first event of a lane that is not said yet; UINT64_MAX when all are. */
uint64_t tk_ut_held_pending(const struct tk_ut_lane *lane);

/* A packet of the lane was read: what has to wait for it, and what need not wait any more, which is said.
 * TK_OK or TK_ENOMEM. */
int tk_ut_held_look(struct tk_ut_feed *feed, const struct tk_ut_lane *lane);

/* Says all that waits. TK_OK or TK_ENOMEM. */
int tk_ut_held_flush(struct tk_ut_feed *feed);

void tk_ut_held_release(struct tk_ut_held *held);

#endif
