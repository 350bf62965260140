/*
 * Chains of packet headers in a piece of a file; private to packet_walk_ahead.c.
 *
 * Each header says where the next one is, so who follows one chain waits for memory at every packet. Here
 * several chains of one piece are followed by turns. Where a chain begins is guessed from what the headers
 * look like, so nothing of this counts before somebody comes to the same offset in another way.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_PACKET_WALK_CHAINS_H
#define TK_FORMAT_UTRACE_WIRE_PACKET_WALK_CHAINS_H

#include "format/utrace/wire/packet_walk.h"

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

#endif
