/*
 * Looking ahead in a walk over packet headers.
 *
 * Each header is far from the last one in memory: who follows them waits for memory, and for the system to
 * map it, at every packet. So the file is looked at in stretches, several at one time where there are several
 * jobs, each by several chains (packet_walk_chains.h). What was seen counts only where the walk itself comes
 * to the same offset, so it sees the same headers in the same order as without.
 */
#ifndef TK_FORMAT_UTRACE_WIRE_PACKET_WALK_AHEAD_H
#define TK_FORMAT_UTRACE_WIRE_PACKET_WALK_AHEAD_H

#include "format/utrace/wire/packet_walk_chains.h"

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

#endif
