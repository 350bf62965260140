/*
 * Looking ahead in a walk over packet headers.
 *
 * Each header says where the next one is, and each is far from the last one in memory: following one chain
 * means waiting for memory at every packet. So several stretches of the file are followed at one time; where
 * a stretch begins is searched for as after damage, and the stretches count only where they join without a
 * gap. The walk itself sees the same headers in the same order as without.
 */
#ifndef TK_UTRACE_WALK_AHEAD_H
#define TK_UTRACE_WALK_AHEAD_H

#include "utrace/walk.h"

struct tk_ut_ahead;

/* Creates one; *out is NULL where looking ahead does not pay (small files, no memory map). TK_OK or negative.
 */
int tk_ut_ahead_open(struct tk_ut_ahead **out, struct tk_ut_walk *w);

/* The header at an offset, if it was seen ahead: good in itself and inside the file. ahead may be NULL. */
bool tk_ut_ahead_head(struct tk_ut_ahead *a, struct tk_ut_walk *w, uint64_t offset, struct tk_ut_head *head);

void tk_ut_ahead_close(struct tk_ut_ahead *a);

#endif
