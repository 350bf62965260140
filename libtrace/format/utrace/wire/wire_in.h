/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_WIRE_IN_H
#define TK_FORMAT_UTRACE_WIRE_WIRE_IN_H

#include "format/utrace/wire/index.h"
#include "io/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Walks over packet headers that fill the index; private to index_build.c and its walks.
 */

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
    bool ended;               /* whether the file ends inside a packet was found out */
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

/* The first byte from an offset on that is no zero, or the end of the file. Says progress: what is behind a
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

/*
 * Chains of packet headers in a piece of a file; private to packet_walk_ahead.c.
 *
 * Each header says where the next one is, so who follows one chain waits for memory at every packet. Here
 * several chains of one piece are followed by turns. Where a chain begins is guessed from what the headers
 * look like, so nothing of this counts before somebody comes to the same offset in another way.
 */

#define TK_UT_CHAINS      16
#define TK_UT_CHAIN_BYTES (TK_WINDOW_VIEW / TK_UT_CHAINS)
#define TK_UT_CHAIN_HEADS 4096u /* most of a chain */

/* A header that was seen ahead: good in itself and inside the file. */
struct tk_ut_seen {
    uint32_t at; /* offset from where the holder says */
    uint16_t size, word;
};

struct tk_ut_chain {
    uint32_t begin, at, end; /* inside the piece; a chain ends where the next one begins */
    uint32_t n;
    struct tk_ut_seen *heads; /* owned, TK_UT_CHAIN_HEADS of them */
};

struct tk_ut_chains {
    const struct tk_ut_packet_walk *walk; /* only what does not change while it walks */
    struct tk_window *window;             /* owned */
    uint16_t highest;                     /* tid that a guess may have */
    uint64_t offset;                      /* of the piece in the file */
    const uint8_t *bytes;
    uint32_t have;
    struct tk_ut_chain v[TK_UT_CHAINS];
    unsigned n;
};

/* TK_OK or negative. */
int tk_ut_chains_open(struct tk_ut_chains *c, const struct tk_ut_packet_walk *walk);

/*
 * Follows the chains of the piece (of TK_WINDOW_VIEW bytes, counted from the beginning of the file) that
 * holds `from`, and ends at `to` at the latest. The first one begins at `from` where a header is known to be
 * there, else at the first guess. Returns where to look next, always behind `from`, and whether a header is
 * there; `to` when the file cannot be seen.
 */
uint64_t tk_ut_chains_look(struct tk_ut_chains *c, uint64_t from, uint64_t to, bool *known);

void tk_ut_chains_close(struct tk_ut_chains *c);

/*
 * Looking ahead in a walk over packet headers.
 *
 * Each header is far from the last one in memory: who follows them waits for memory, and for the system to
 * map it, at every packet. So the file is looked at in stretches, several at one time where there are several
 * jobs, each by several chains. What was seen counts only where the walk itself comes
 * to the same offset, so it sees the same headers in the same order as without.
 */

struct tk_ut_packet_walk_ahead;

/* Headers in the order of the file; not all of them need to be packets. */
struct tk_ut_seen_run {
    const struct tk_ut_seen *v; /* borrowed until the next call */
    size_t n;
    uint64_t base; /* offset in the file that theirs are relative to */
};

/* Creates one; *out is NULL where looking ahead does not pay (small files, no memory map). TK_OK or negative.
 */
int tk_ut_packet_walk_ahead_open(struct tk_ut_packet_walk_ahead **out, struct tk_ut_packet_walk *w);

/* What was seen from this offset on in its stretch; n is 0 where nothing was. Offsets must not go back. ahead
 * may be NULL. */
struct tk_ut_seen_run tk_ut_packet_walk_ahead_run(struct tk_ut_packet_walk_ahead *a, uint64_t offset);

/* NULL is allowed. */
void tk_ut_packet_walk_ahead_close(struct tk_ut_packet_walk_ahead *a);

/*
 * The walk over the packets at both ends of a large capture, which is opened in part (tk_options.in_part);
 * private to the walk over transports 3 and 4.
 */

/* Is the capture to be opened in part, and does that leave something out? From protocol 6 on packets say
 * times without those before them. */
bool tk_ut_packet_walk_in_part(const struct tk_ut_packet_walk *w);

/* Fills the index, and that of the rest; says in the context what was read. TK_OK or negative. */
int tk_ut_packet_walk_ends(struct tk_ut_packet_walk *w);

/*
 * Where records of a raw packet may end. Those of protocols 1 to 4 state their size, so that no declaration
 * is needed (wire 3.3, 3.4); which types have a serial number and array data is not known, so that each way
 * is tried.
 */

#define TK_UT_RAW_RECORDS_MOST 384u /* bytes of payload that are looked at */

struct tk_ut_raw_records {
    const uint8_t *p; /* borrowed */
    size_t n;
    bool ends[TK_UT_RAW_RECORDS_MOST + 1]; /* whole records lie before this place */
};

/* Finds the places in a payload. None of other protocols, and none behind TK_UT_RAW_RECORDS_MOST bytes. */
void tk_ut_raw_records_find(struct tk_ut_raw_records *r, uint8_t protocol, const uint8_t *p, size_t n);

/* Do whole records lie before a place of the payload? */
static inline bool tk_ut_raw_records_end(const struct tk_ut_raw_records *r, uint64_t place)
{
    return place <= r->n && r->ends[place];
}

#endif
