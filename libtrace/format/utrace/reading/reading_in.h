/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_READING_READING_IN_H
#define TK_FORMAT_UTRACE_READING_READING_IN_H

#include "fact/kept.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/reading/reading_common.h"
#include "format/utrace/scopes/scope_collect.h"
#include "format/utrace/wire/packet_reader.h"

/*
 * The table of event families, made of family_list.h.
 */

/* All families; NULL-terminated. */
extern const struct tk_ut_family *const tk_ut_families[];
size_t tk_ut_family_count(void);

/* Name of the family that understands events of a type, or NULL. Its logger, name and flags are looked at. */
const char *tk_ut_family_of(const struct tk_ut_type *type);

/* Tables that families say rows of; NULL-terminated. */
extern const struct tk_table *const tk_ut_row_tables[];

/*
 * The index pass: declarations, definitions and the clock of a capture, before anything else is read of it
 * (wire 3.6, wire A: a first pass over tids 0 and 1 removes all problems of late declarations; in
 * protocols 0 to 4 both stand on any lane).
 */

/* Fills in what a capture whose header and packets are known defines. TK_OK, TK_ENOMEM or TK_EIO. */
int tk_ut_index_pass(struct tk_ut_capture *c, struct tk_err *err);

/*
 * Timers that readings define as they meet them, kept between questions: scopes that are kept refer to them
 * by their ids, which are the same in each reading only where they are defined in one order.
 */

/* Can the timers that were defined since the capture was opened be reported? Those that events name cannot.
 */
bool tk_ut_known_timers_can(const struct tk_ut_capture *c);

/* Writes TK_KEPT_INSTANCES: these timers, and the instances of metadata that are defined among events. false:
 * they cannot be reported. */
bool tk_ut_known_timers_keep(const struct tk_ut_capture *c, struct tk_kept_bytes *out);

/* Defines what is kept, before any reading defines timers; `instances`: these as well, where packets are
 * passed over. Once a capture. TK_OK, TK_ENOMEM; TK_EFORMAT: it is none. */
int tk_ut_known_timers_define(struct tk_ut_feed *feed, bool instances);

/*
 * Lane cursor: reads one lane wherever its packets stand in the file, packet after packet, and queues its
 * events, so that lanes can be merged by serial number in bounded memory.
 */

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
    struct tk_ut_lane_cursor *far_next; /* of those that are far */
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

/*
 * Lane cursors by a key, as their place in the file: one with the least is on top. A cursor is in one heap at
 * a time.
 */

struct tk_ut_cursor_keyed {
    uint64_t key;
    struct tk_ut_lane_cursor *cursor; /* borrowed */
};

struct tk_ut_cursor_heap {
    struct tk_ut_cursor_keyed *v; /* owned; space for all lanes; v[0] has the least key */
    size_t n;
};

void tk_ut_cursor_heap_push(struct tk_ut_cursor_heap *h, struct tk_ut_lane_cursor *c, uint64_t key);

/* Takes the cursor at index i out. */
struct tk_ut_lane_cursor *tk_ut_cursor_heap_take(struct tk_ut_cursor_heap *h, size_t i);

/*
 * Lanes whose place in the file has not come near (wire 4): by that place, and by the serial numbers of their
 * heads, so that none of them has to be looked at to know which one has a certain number.
 */

struct tk_ut_cursor_far {
    struct tk_ut_cursor_heap heap;
    struct tk_ut_lane_cursor **chains; /* by serial number, its low bits; linked by far_next; owned */
    size_t mask;                       /* number of chains - 1 */
};

/* Space for n lanes. 0, or -1 if out of memory; release in both cases. */
int tk_ut_cursor_far_init(struct tk_ut_cursor_far *f, size_t n);
void tk_ut_cursor_far_release(struct tk_ut_cursor_far *f);

/* Its head has a serial number, and stays the head until the lane is taken out. */
void tk_ut_cursor_far_push(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c);

/* The lane that comes first in the file, or NULL; tk_ut_cursor_far_take takes it out. */
static inline struct tk_ut_lane_cursor *tk_ut_cursor_far_first(const struct tk_ut_cursor_far *f)
{
    return f->heap.n ? f->heap.v[0].cursor : NULL;
}

void tk_ut_cursor_far_take(struct tk_ut_cursor_far *f, struct tk_ut_lane_cursor *c);

/* Of the lanes whose head has this serial number, as stored, the one that comes first in the file; or NULL.
 */
struct tk_ut_lane_cursor *tk_ut_cursor_far_with(const struct tk_ut_cursor_far *f, uint32_t serial);

/*
 * Learning references: a reading of all definitions of a capture, before the reading that shows events with
 * them.
 */

/* Reads all definitions of the capture, once, if the request wants to see an event with a reference. TK_OK or
 * as a reading. */
int tk_ut_references_learn(struct tk_ut_capture *c, const struct tk_request *request, struct tk_err *err);

/*
 * Reading ahead: the capture once more, to its end, for names that come behind the scopes whose rows are
 * sent.
 */

/* Makes c->ahead, which stays NULL where the capture cannot be read. TK_OK or TK_ENOMEM. */
int tk_ut_ahead_read(struct tk_ut_capture *c);

void tk_ut_ahead_close(struct tk_ut_capture *c);

/*
 * Where the scopes of a reading stand between two batches of facts, as bytes: to go on from there in another
 * reading (struct tk_piece). A part of source_state.h.
 */

/* Appends it. false: it cannot be reported, as something is wrong with a lane. */
bool tk_ut_scopes_put(const struct tk_ut_scopes *s, struct tk_kept_bytes *out);

/* Makes it the state of the scopes of a feed, whatever it was. TK_OK, TK_ENOMEM; *c has a fault where the
 * bytes are none. */
int tk_ut_scopes_take(struct tk_ut_feed *feed, struct tk_cur *c);

/* Makes the lanes that it names, in their order, and nothing else of it. As tk_ut_scopes_take. */
int tk_ut_scopes_number(struct tk_ut_feed *feed, struct tk_cur *c);

/*
 * Where a reading in the order of the file stands behind a batch, as bytes (tk_batch.state, struct tk_piece):
 * what records, events and scopes of threads are under way. Timers are those of known_timers.h.
 */

/* A reading, as far as its state goes. All is borrowed. */
struct tk_ut_under_way {
    struct tk_ut_capture *capture;
    struct tk_ut_feed *feed;
    const struct tk_ut_decoder *decoder;
    struct tk_ut_lane *(*at)(void *ctx, uint16_t tid); /* a lane of it; NULL: there is none */
    struct tk_ut_lane *(*make)(
        void *ctx, uint16_t tid); /* the same, which is made where there is none; NULL: no memory */
    void *ctx;
};

/* Writes it. false: it cannot be reported. */
bool tk_ut_state_put(const struct tk_ut_under_way *r, struct tk_kept_bytes *out);

/* Numbers the lanes of scopes as the reading did that reported the state of the end, for one that begins at
 * the start and passes over threads. TK_OK, TK_ENOMEM; TK_EFORMAT: it is none. */
int tk_ut_state_number(const struct tk_ut_under_way *r, const struct tk_piece *end);

/* Lets a reading go on from the begin of a piece. As tk_ut_state_number. */
int tk_ut_state_take(const struct tk_ut_under_way *r, const struct tk_piece *piece);

#endif
