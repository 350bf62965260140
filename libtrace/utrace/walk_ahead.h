/*
 * Looking ahead in a walk over packet headers.
 *
 * Each header says where the next one is, and each is far from the last one in memory: following one chain
 * means waiting for memory, and for the system to map it, at every packet. So the file is looked at in views,
 * several at one time where there are several jobs, and in each view several chains are followed by turns.
 * Where a chain begins is guessed; what was seen counts only where the walk itself comes to the same offset,
 * so it sees the same headers in the same order as without.
 */
#ifndef TK_UTRACE_WALK_AHEAD_H
#define TK_UTRACE_WALK_AHEAD_H

#include "utrace/walk.h"

struct tk_ut_ahead;

/* A header that was seen ahead: good in itself and inside the file. */
struct tk_ut_seen {
    uint32_t at; /* offset inside its view */
    uint16_t size, word;
};

/* Headers of a chain, in the order of the file; not all of them need to be packets. */
struct tk_ut_seen_run {
    const struct tk_ut_seen *v; /* borrowed until the next call */
    size_t n;
    uint64_t view; /* offset of the view in the file */
};

/* Creates one; *out is NULL where looking ahead does not pay (small files, no memory map). TK_OK or negative.
 */
int tk_ut_ahead_open(struct tk_ut_ahead **out, struct tk_ut_walk *w);

/* What was seen of a chain from this offset on; n is 0 where nothing was. Offsets must not go back. ahead may
 * be NULL. */
struct tk_ut_seen_run tk_ut_ahead_run(struct tk_ut_ahead *a, uint64_t offset);

/* NULL is allowed. */
void tk_ut_ahead_close(struct tk_ut_ahead *a);

#endif
