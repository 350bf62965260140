/*
 * Lane: the byte stream of one thread. Packets of a thread are fed in order; records come out as calls on a
 * handler.
 *
 * A record that goes on in a later packet is carried over. Events with array data that is not complete yet,
 * and all that begins inside them, wait in the lane's group (wire 3.5, nesting): delivery is in the order in
 * which headers stand.
 */
#ifndef TK_FORMAT_UTRACE_LANES_LANE_H
#define TK_FORMAT_UTRACE_LANES_LANE_H

#include "base/health/limits.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "format/utrace/schema/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tk_ut_lane;

/* A scope record. */
struct tk_ut_scope {
    bool begins, timed;
    int64_t time; /* cycles since the start */
};

/* Who gets what lanes hold. Negative returns stop the feeding and are passed on. */
struct tk_ut_handler {
    /* An event of a type with `want` set. Borrowed during the call, the bytes it points to too. */
    int (*event)(void *self, struct tk_ut_lane *lane, struct tk_ut_event *ev);

    /* A stamped scope around an event of this type begins, at a time in cycles since the start; or ends. Only
     * events of the logger Cpu (events 2.5). */
    int (*enter)(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type, int64_t time);
    int (*leave)(void *self, struct tk_ut_lane *lane, int64_t time);

    /* Bytes of the lane are missing here. */
    int (*cut)(void *self, struct tk_ut_lane *lane);

    /* The serial number of something that is not handed on: an event nobody wants, or a declaration of
     * protocols 1 and 2. NULL where serial numbers do not matter. */
    int (*skip_serial)(void *self, struct tk_ut_lane *lane, uint32_t serial);
    void *self;

    /* The scope around an event of a type with TK_UT_WANT_SCOPES ends, stamped or not; in its place among the
     * events of the lane. May be NULL where no type has it. */
    int (*scope_end)(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type);

    /* Every scope record, in its place among the events of the lane: a begin in front of the event it belongs
     * to. time counts cycles since the start where it is timed. NULL: nobody wants them. */
    int (*scope)(void *self, struct tk_ut_lane *lane, const struct tk_ut_scope *scope);
};

/* Bits of tk_ut_decoder.want. */
#define TK_UT_WANT_EVENTS 1
#define TK_UT_WANT_SCOPES 2 /* the ends of scopes around events too */
#define TK_UT_WANT_EXTRA  4 /* nobody requested the events: their faults are noted apart, and cut nothing */

/* Of tk_ut_decoder.passes: the bytes of an event without its array data, above these bits. */
#define TK_UT_PASS_SYNCED 1 /* it has a serial number */
#define TK_UT_PASS_AUX    2 /* array data and a terminal follow */
#define TK_UT_PASS_WANTS  4 /* may_pass says whether it can be handed on */
#define TK_UT_PASS_BITS   3
#define TK_UT_PASSES      (1u << 15)

/* How to pass over events of a type, of which there is no other declaration. 0: the decoding needs them. */
uint32_t tk_ut_pass_of(const struct tk_ut_type *type);

/* The bytes of plain events of a type; 0: they are not plain. */
uint16_t tk_ut_plain_of(const struct tk_ut_type *type);

/* An event that is handed on as it stands, whole and with array data that fits its type. */
struct tk_ut_passed {
    const uint8_t *p; /* n bytes: the code, a serial number where it is synced, and all else */
    uint32_t n;
    uint16_t uid;
    bool synced;
    uint8_t answer;  /* of may_pass; 0: it was not requested */
    uint64_t number; /* the serial number, counted on past wraps; 0: it has none */
};

#define TK_UT_MOST_PASSED 64 /* in one call */

/* An event with a serial number and nothing but its fixed part: it can be read where it stands. */
struct tk_ut_plain {
    uint32_t serial;
    uint32_t at; /* byte of the payload with which it begins: the code, the serial number, the fixed part */
};

/* Bytes of a plain event of a type before its fixed part. */
#define TK_UT_PLAIN_HEAD 5u

/* What all lanes of one reading share. */
struct tk_ut_decoder {
    struct tk_ut_schema *schema;
    const struct tk_limits *limits;
    struct tk_health *health;
    struct tk_health *extra; /* for events with TK_UT_WANT_EXTRA; may be NULL where there are none */
    const struct tk_ut_handler *handler;
    const uint8_t *want; /* by type id: TK_UT_WANT_...; types declared later than it was made are wanted (old
                            protocols) */
    uint32_t n_want;
    const uint32_t *passes; /* protocols 5..7: by uid, how to pass over its events (TK_UT_PASS_...); 0: it
                               cannot be, as somebody wants them; TK_UT_PASSES of them, or NULL */
    /* Where it is there, events of `passes` are handed on to it, self is the handler's, up to
     * TK_UT_MOST_PASSED that follow each other; but those inside of an open event or behind the begin of a
     * scope, and damaged ones, go to the handler. Needs `serials`. TK_OK or negative. */
    int (*passed)(void *self, struct tk_ut_lane *lane, const struct tk_ut_passed *events, size_t n);
    /* Is an event of a type with TK_UT_PASS_WANTS handed on so? It is where the answer, which goes with it,
     * is not 0. Serial numbers are counted on already. */
    uint8_t (*may_pass)(void *self, struct tk_ut_lane *lane, const struct tk_ut_type *type,
                        const struct tk_ut_passed *event);
    /* By uid, TK_UT_PASSES of them: how many bytes plain events have that are wanted; 0: they go to the
     * handler. Where it is there they are handed on together, self is the handler's, up to TK_UT_MOST_PASSED
     * that follow each other; but those that lie in several packets, wait for others or belong to a scope go
     * to the handler. */
    const uint16_t *plains;
    int (*plain)(void *self, struct tk_ut_lane *lane, const struct tk_ut_plain *events, size_t n);
    uint64_t *counts;     /* by type id, n_want of them; may be NULL */
    uint64_t *bytes;      /* likewise: unpacked bytes */
    uint64_t start_cycle; /* of the clock */
    uint8_t protocol;
    uint8_t serial_bits;           /* 24, or 16 in protocol 1 */
    bool marks;                    /* follow scope records? */
    bool stamps;                   /* hand on events in stamped scopes, wanted or not? */
    bool declare;                  /* protocols 0..4: take declarations from the lanes */
    bool wait;                     /* protocols 1..4: keep a lane with an undeclared uid waiting */
    uint64_t settled;              /* tk_ut_index.settled */
    struct tk_ut_serials *serials; /* reported each serial number; may be NULL */
    uint32_t uid_bias;             /* protocol 4: first uid of events */
    bool biased;                   /* the capture said it */
    struct tk_arena *scratch;      /* for values; lives as long as the batch */
};

/* Most guesses at undeclared records of one payload, beyond those of one uid. */
#define TK_UT_MOST_GUESSES 256u

/* A scope record that is open on a lane. */
struct tk_ut_mark {
    int64_t time;                  /* cycles since the start */
    const struct tk_ut_type *type; /* the event it belongs to; NULL while none came */
    bool timed;
};

/* An event in a group. */
struct tk_ut_waiting {
    struct tk_ut_event ev;
    struct tk_ut_piece *first, *last; /* its array data, in the group's arena */
    const struct tk_ut_type *ends;    /* not an event: the scope around one of this type ends */
    struct tk_ut_scope scope;         /* not an event: a scope record, */
    bool is_scope;                    /* where this says so */
    bool torn;                        /* the lane goes on without the rest of its array data */
};

/* An event whose array data goes on. */
struct tk_ut_open_event {
    uint32_t index;  /* in the group's events, or UINT32_MAX: nobody wants it */
    uint32_t type;   /* id */
    uint64_t packet; /* offset of that in which its last record came */
};

struct tk_ut_group {
    TK_VEC(struct tk_ut_waiting) events;  /* in the order of their headers */
    TK_VEC(struct tk_ut_open_event) open; /* those whose terminal is still to come */
    /* those that were open when a limit was reached; what else comes for them is left out */
    TK_VEC(struct tk_ut_open_event) closed;
    uint64_t closed_offset; /* of the first of them */
    enum tk_limit limit;
    struct tk_arena arena;
    uint64_t records;
};

/* How records of an undeclared uid were found to look (lane_undeclared.c). */
enum { TK_UT_UNDECLARED = 8 };
struct tk_ut_undeclared {
    uint32_t uid;
    unsigned way;
};

struct tk_ut_lane {
    uint32_t tid;
    bool seen;   /* a packet was fed */
    bool broken; /* bytes before the next packet are missing */
    bool hurt;   /* bytes are missing somewhere */
    bool at_gap; /* the cut that is reported is one that an edit wrote down */
    bool timing; /* ThreadTiming was there */
    bool untimed_noted;
    bool begun;     /* the last record was the begin of a scope, and the handler wants scope records */
    bool waiting;   /* for a declaration (decoder.wait) */
    bool has_time;  /* one of its events had a time; set by who hands them on */
    bool in_zeros;  /* the last record was none, but zeros */
    uint8_t *carry; /* owned: bytes of an incomplete record */
    size_t n_carry, cap_carry;
    size_t need;           /* bytes the carry must have before it is worth a look */
    uint64_t carry_offset; /* packet in which the carry begins, and where in it */
    uint32_t carry_within;
    uint64_t packet; /* file offset of the packet that is being read */
    uint64_t stamp;  /* protocols 4..6: what the next scope stamp adds to */
    struct tk_ut_group group;
    TK_VEC(struct tk_ut_mark) marks;
    uint64_t marks_over;             /* open ones beyond the limit */
    TK_VEC(struct tk_ut_blob) blobs; /* of the event in hand */
    uint64_t events;                 /* decoded so far */
    uint64_t synced;                 /* of these, with a serial number */
    uint64_t orphans;                /* blobs and terminals before the first event, or behind a break */
    uint64_t strays;                 /* those elsewhere, whose event is lost */
    uint64_t stray_offset;           /* of the packet with the first */
    uint64_t number;                 /* of the last one with a serial number (tk_ut_serials_saw) */
    uint64_t disordered;             /* events with none higher than that in front of them */
    uint64_t resumed;                /* events decoded at the last break */
    uint64_t left_out;               /* blobs of events that a limit closed */
    uint64_t unpacked;               /* bytes fed */
    uint32_t size, stored;           /* of the payload in hand: unpacked, and in the file (0: not known) */
    uint64_t dropped;                /* bytes of the file that could not be read */
    struct tk_ut_undeclared undeclared[TK_UT_UNDECLARED]; /* by uid, the latest of those that share a place */
    uint32_t guesses; /* at undeclared records of the payload in hand (lane_undeclared.c) */
    int64_t latest;   /* time of its events so far, cycles since the start; set by who hands
                         them on */
    void *scopes;     /* the CPU family's */
};

/* A packet's payload. */
struct tk_ut_payload {
    const uint8_t *p;
    size_t n;
    uint64_t offset; /* of the packet in the file */
    bool partial;    /* bit 14: goes on with a record (protocol 5) */
    bool whole_records;
    uint32_t stored; /* bytes of it in the file; 0: not booked when they cannot be read */
};

/* A payload comes to the lane. */
static inline void tk_ut_lane_in_hand(struct tk_ut_lane *lane, const struct tk_ut_payload *payload)
{
    lane->packet = payload->offset;
    lane->unpacked += payload->n;
    lane->size = (uint32_t)payload->n;
    lane->stored = payload->stored;
    lane->guesses = 0;
}

/* n unpacked bytes could not be read: their part of what the packet in hand has in the file. */
static inline void tk_ut_lane_drop(struct tk_ut_lane *lane, size_t n)
{
    if (lane->size)
        lane->dropped += (uint64_t)n * lane->stored / lane->size;
}

/* Does the record that a lane ends in begin in its last packet, as one that the end of the file cuts off? One
 * that goes on for packets is taken for a wrong size. */
static inline bool tk_ut_lane_is_cut(const struct tk_ut_lane *lane)
{
    return lane->carry_offset == lane->packet;
}

/* Feeds the next payload of a lane. TK_OK, TK_ENOMEM or what a handler said. */
int tk_ut_lane_feed(struct tk_ut_decoder *d, struct tk_ut_lane *lane, const struct tk_ut_payload *payload);

/* Looks again at a waiting lane: declarations came. */
int tk_ut_lane_retry(struct tk_ut_decoder *d, struct tk_ut_lane *lane);

/* Bytes of this lane are lost before what comes next (wire 9.2). `why` for the note, or NULL when noted
 * already. */
int tk_ut_lane_break(struct tk_ut_decoder *d, struct tk_ut_lane *lane, uint64_t offset, const char *why);

/* The end of the capture: what waits is delivered, what is left is noted. */
int tk_ut_lane_finish(struct tk_ut_decoder *d, struct tk_ut_lane *lane, bool truncated);

void tk_ut_lane_release(struct tk_ut_lane *lane);

/*
 * Which serial numbers came, while packets are read in the order of the file: what is missing is an event
 * that was lost. Numbers that are not there are normal before the second sync packet and in what was sent
 * last (wire 4.5); all others are counted. A window of numbers is remembered, far more than threads lag
 * behind each other.
 *
 * Numbers are counted on past their wraps, nearest to the highest one so far (wire 4.1); of those of 16 bits
 * a quarter is ahead of it, since threads lag, but hardly lead.
 */

#define TK_UT_STRAYS 64 /* numbers in a row that are nowhere near, until the count goes on where they are */

/* Numbers in a row that did not come. */
struct tk_ut_hole {
    uint64_t first, last;
};

struct tk_ut_serials {
    uint64_t *seen;      /* owned; a bit for each number of the window */
    uint64_t *sooner;    /* owned; those of `seen` when tk_ut_serials_stop was called; NULL before */
    uint64_t window;     /* numbers in it, a power of two */
    uint64_t words;      /* of `seen`, less one: picks the word of a number */
    uint32_t mask;       /* bits of a number in the file */
    uint32_t lead;       /* a number may be so far ahead of the highest */
    uint32_t capacity;   /* numbers from the highest on, itself too, in its word; 0 before the first one */
    uint32_t reach;      /* the highest less so many is out of the window; 0 before the first one */
    bool any;            /* there was one */
    bool waits;          /* what is missing is not counted yet */
    bool failed;         /* out of memory for a gap */
    uint64_t highest;    /* number */
    uint64_t from, last; /* numbers that are looked for: from here, up to here */
    uint32_t stray[TK_UT_STRAYS];
    unsigned strays;
    uint64_t lost, first_lost;
    TK_VEC(struct tk_ut_hole) holes;   /* found since somebody emptied it, ascending */
    TK_VEC(struct tk_ut_hole) excused; /* missing in what was sent last: found by tk_ut_serials_finish */
};

/* Numbers of 16 or 24 bits. TK_OK or TK_ENOMEM. */
int tk_ut_serials_open(struct tk_ut_serials *s, unsigned bits);
void tk_ut_serials_release(struct tk_ut_serials *s);

/* A number came that moves the window, or is not in it. As tk_ut_serials_saw. */
uint64_t tk_ut_serials_jump(struct tk_ut_serials *s, uint32_t serial);

/* A stored number, counted on past its wraps. */
static inline uint64_t tk_ut_serials_unwrap(const struct tk_ut_serials *s, uint32_t serial)
{
    uint32_t ahead = (serial - (uint32_t)s->highest) & s->mask;
    return s->highest + ahead - (ahead >= s->lead ? s->mask + UINT64_C(1) : 0);
}

/* A number came. Returns it, counted on past its wraps; 0 where it is nowhere near. */
static inline uint64_t tk_ut_serials_saw(struct tk_ut_serials *s, uint32_t serial)
{
    uint32_t ahead = (serial - (uint32_t)s->highest) & s->mask, back = -ahead & s->mask;
    uint64_t number = s->highest + ahead;
    if (ahead < s->capacity) {
        s->highest = number;
        s->capacity -= ahead;
    } else if (back < s->reach) {
        number = s->highest - back;
    } else {
        return tk_ut_serials_jump(s, serial);
    }
    s->seen[number / 64 & s->words] |= UINT64_C(1) << number % 64;
    s->strays = 0;
    return number;
}

/* The number that tk_ut_serials_saw and tk_ut_serials_unwrap will give, counted on past its wraps; 0: not
 * known, as it may be the begin of others. */
static inline uint64_t tk_ut_serials_peek(const struct tk_ut_serials *s, uint32_t serial)
{
    const uint32_t ahead = (serial - (uint32_t)s->highest) & s->mask, back = -ahead & s->mask;
    if (ahead < s->capacity || (s->any && ahead < s->lead && ahead < s->window / 2))
        return s->highest + ahead;
    return back < s->reach ? s->highest - back : 0;
}

/* What is missing is nobody's fault until tk_ut_serials_settle, nor is what is missing from
 * tk_ut_serials_stop on, or right below a number that came after it. */
void tk_ut_serials_wait(struct tk_ut_serials *s);
void tk_ut_serials_settle(struct tk_ut_serials *s);
void tk_ut_serials_stop(struct tk_ut_serials *s);

/* Counts what is missing in the window. */
void tk_ut_serials_finish(struct tk_ut_serials *s);

/*
 * Framing of tids 0 and 1 from protocol 5 on (wire 3.6): declarations and important events.
 */

/* A stream of tid 0 or 1; zero-initialise with the tid in lane. Bytes of an incomplete record are carried in
 * the lane. */
struct tk_ut_important {
    struct tk_ut_lane lane;
    size_t joint;   /* of what is carried over, the first byte of the last packet that was fed */
    bool searching; /* after a break: the next event must be found first */
};

/* Feeds declarations: each record goes into the decoder's schema. TK_OK or TK_ENOMEM. */
int tk_ut_declarations_feed(struct tk_ut_decoder *d, struct tk_ut_important *s,
                            const struct tk_ut_payload *payload);

/* Feeds important events to the decoder's handler. All declarations must have been read. */
int tk_ut_important_feed(struct tk_ut_decoder *d, struct tk_ut_important *s,
                         const struct tk_ut_payload *payload);

/* Bytes are missing before the next payload: what waits for more takes what there is. As the feeding. */
int tk_ut_important_break(struct tk_ut_decoder *d, struct tk_ut_important *s);

/* The end of the stream: a search that waits for more bytes takes what there is; leftovers are noted. */
int tk_ut_important_finish(struct tk_ut_decoder *d, struct tk_ut_important *s, bool truncated);

#endif
