/*
 * Lane cursor: reads one lane wherever its packets stand in the file, packet after packet, and queues its
 * events, so that lanes can be merged by serial number in bounded memory.
 */
#ifndef TK_FORMAT_UTRACE_READING_LANE_CURSOR_H
#define TK_FORMAT_UTRACE_READING_LANE_CURSOR_H

#include "format/utrace/reading/reading_common.h"
#include "format/utrace/reading/router.h"
#include "format/utrace/wire/duplicate_packet.h"

/* A queued event: its serial number, and where it is when it is wanted. Among them, without a number, are
 * ends of scopes around events, and places where bytes are missing. */
struct tk_ut_queued {
    uint32_t serial;
    uint32_t event; /* place in events, or in ends with TK_UT_IS_END, or in the payload with TK_UT_IS_PLAIN;
                       TK_UT_NO_EVENT: only the number counts */
};

#define TK_UT_NO_EVENT  UINT32_MAX
#define TK_UT_IS_END    0x80000000u
#define TK_UT_IS_PLAIN  0x40000000u
#define TK_UT_NO_NUMBER 0x80000000u /* serial of events without one */

extern const struct tk_ut_type tk_ut_cut_scopes;

struct tk_ut_lane_cursor {
    struct tk_ut_lane lane;
    const uint32_t *packets; /* their numbers in the index, in order; borrowed */
    size_t n_packets, next;
    TK_VEC(struct tk_ut_queued) queue;
    TK_VEC(struct tk_ut_event) events;
    TK_VEC(const struct tk_ut_type *)
    ends;      /* the type of the event whose scope ends; NULL: bytes are missing, of what families follow;
                  &tk_ut_cut_scopes: of scopes, too */
    size_t at; /* the head of the queue */
    uint32_t position; /* packet of the head */
    uint8_t *payload;  /* of the packet in hand; owned */
    size_t n_payload, cap_payload;
    struct tk_arena kept; /* what queued events point to outside the payload */
    struct tk_ut_previous previous;
    uint64_t weight;                    /* of what is queued, see tk_ut_lane_cursors.waiting */
    size_t place;                       /* in the heap that holds it */
    struct tk_ut_lane_cursor *far_next; /* of those that are far (lane_cursor_far.h) */
    bool ended, finished;
};

/* The lanes of a reading. */
struct tk_ut_lane_cursors {
    struct tk_ut_reading *r;
    struct tk_ut_lane_cursor *v; /* owned; by order of tid */
    size_t n;
    size_t n_read;           /* packets that were read, of all lanes */
    uint32_t *packets;       /* owned: numbers of packets, lane by lane */
    TK_VEC(uint32_t) losses; /* packets before which bytes were lost */
    uint8_t *raw, *out;      /* owned: one packet */
    uint16_t *plains;        /* owned: tk_ut_decoder.plains; NULL: there are none */
    uint16_t *quick_of;      /* owned, by uid: 1 + index in quicks; 0: none */
    TK_VEC(struct tk_ut_quick) quicks;
    struct tk_ut_handler handler; /* queues */
    struct tk_ut_lane_cursor *filling;
    uint64_t waiting; /* events in all queues, and one more for each 128 bytes that are kept for them */
};

int tk_ut_cursors_open(struct tk_ut_lane_cursors *s, struct tk_ut_reading *r);
void tk_ut_cursors_close(struct tk_ut_lane_cursors *s);

/* Forgets what was taken from a queue. Is nothing left in it, so that a packet would have to be read? */
bool tk_ut_cursor_done(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c);

/* Makes sure the queue has a head. TK_ITEM, TK_OK when the lane has ended, or negative. */
int tk_ut_cursor_fill(struct tk_ut_lane_cursors *s, struct tk_ut_lane_cursor *c, struct tk_err *err);

/* The head of a queue that is not empty. */
static inline const struct tk_ut_queued *tk_ut_cursor_head(const struct tk_ut_lane_cursor *c)
{
    return &c->queue.v[c->at];
}

static inline bool tk_ut_cursor_numbered(const struct tk_ut_lane_cursor *c)
{
    return tk_ut_cursor_head(c)->serial != TK_UT_NO_NUMBER;
}

#endif
