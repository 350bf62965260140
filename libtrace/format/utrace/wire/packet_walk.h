/*
 * Walks over packet headers that fill the index; private to index_build.c and its walks.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_PACKET_WALK_H
#define TK_FORMAT_UTRACE_WIRE_PACKET_WALK_H

#include "format/utrace/wire/index.h"
#include "io/window.h"

#define TK_UT_FAR 64 /* a thread this far above all earlier ones is doubtful (wire 9.1) */
#define TK_UT_RAW_LIMIT                                                                                      \
    388 /* live packets that are larger are compressed; used to tell packets from garbage */

/* Transports 3 and 4. */
int tk_ut_packet_walk_tid(struct tk_ut_index *ix, struct tk_context *ctx, struct tk_err *err);

/* Transport 2. */
int tk_ut_packet_walk_batched(struct tk_ut_index *ix, struct tk_context *ctx, struct tk_err *err);

/* State of a walk over transports 3 and 4. */
struct tk_ut_packet_walk {
    struct tk_ut_index *ix;
    struct tk_context *ctx;
    struct tk_window *window;
    uint64_t size;    /* of the file */
    uint32_t highest; /* tid seen so far */
    bool loss;        /* the next packet comes after lost bytes */
    /* Packets of the index that are not taken back: what stands behind them proves the framing. */
    size_t sure;
    uint64_t searched, found; /* by the last search: none begins from the one on before the other */
    uint64_t large;           /* raw packets beyond TK_UT_RAW_LIMIT so far */
    bool settled;             /* something was searched for */
    bool has_large;           /* most of those before were so, which are packets, too */
    uint32_t *census; /* packets of each tid in a plain walk over the file; NULL until needed; owned */
    uint8_t *scratch; /* TK_UT_PACKET_MAX bytes; NULL until needed; owned */
    uint64_t zeros_from, zeros_to; /* the last that were stepped over */
    int rc;                        /* of the walk */
    struct tk_err *err;
};

enum tk_ut_state {
    TK_UT_GOOD,
    TK_UT_BAD, /* no packet header */
    TK_UT_CUT, /* runs past the end of the file */
    TK_UT_UNDECODABLE
};

/* A packet header in the file. */
struct tk_ut_head {
    uint64_t offset;
    uint32_t size, word;
    uint16_t tid, decoded;
};

/* Reads the header at an offset; TK_UT_BAD when there are less than four bytes or sizes are impossible. */
enum tk_ut_state tk_ut_packet_walk_head(struct tk_ut_packet_walk *w, uint64_t offset,
                                        struct tk_ut_head *head);

/* Offset behind a packet and its counter. */
static inline uint64_t tk_ut_packet_walk_after(const struct tk_ut_packet_walk *w,
                                               const struct tk_ut_head *head)
{
    uint64_t after = head->offset + head->size;
    if (w->ix->counted && head->word & TK_UT_PARTIAL)
        after = after + 8 < w->size ? after + 8 : w->size;
    return after;
}

/* Can this thread be, given those seen (wire 9.1)? Far ones only when they occur again. */
bool tk_ut_packet_walk_believable(struct tk_ut_packet_walk *w, const struct tk_ut_head *head);

/* The first byte from an offset on that is no zero, or the end of the file. Tells progress: what is behind a
 * preallocated file may be long. */
uint64_t tk_ut_packet_walk_zeros(struct tk_ut_packet_walk *w, uint64_t offset);

struct tk_ut_packet_walk_ahead;

/* Over transports 3 and 4: fills the index with the packets that begin from `at` on and before `until`; what
 * is seen ahead is used. Returns where the next one begins, or is to be searched; the status is w->rc. */
uint64_t tk_ut_packet_walk_to(struct tk_ut_packet_walk *w, struct tk_ut_packet_walk_ahead *ahead, uint64_t at,
                              uint64_t until);

/* Does the packet unpack to exactly its stated size? Raw ones do. */
bool tk_ut_packet_walk_unpacks(struct tk_ut_packet_walk *w, const struct tk_ut_head *head);

/* Do four good packets follow each other here, or fewer up to the end of the file? */
bool tk_ut_packet_walk_chain(struct tk_ut_packet_walk *w, uint64_t offset);

/* As tk_ut_packet_walk_search would find here: and do packets follow each other from here to `next`? Where
 * that is UINT64_MAX, they may lead anywhere. */
bool tk_ut_packet_walk_leads(struct tk_ut_packet_walk *w, uint64_t offset, uint64_t next);

/* The next offset >= from where a chain begins, or UINT64_MAX. */
uint64_t tk_ut_packet_walk_search(struct tk_ut_packet_walk *w, uint64_t from);

/* Is it a raw packet, of a thread that had some before, that whole records of protocols 1 to 4 fill? */
bool tk_ut_packet_walk_filled(struct tk_ut_packet_walk *w, uint64_t offset);

/* A search found this place. Its first packet may be bytes of a damaged one that lead to good ones, and hide
 * those that they step over. In protocols 1 to 4 a raw packet is nearly always filled with whole records:
 * where it is not, the place behind it that leads to the same packets and is; else the place itself. */
uint64_t tk_ut_packet_walk_likeliest(struct tk_ut_packet_walk *w, uint64_t offset);

#endif
