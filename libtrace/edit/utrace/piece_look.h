/*
 * The first walk over a piece of a merge: when it begins, and what its threads begin with.
 */
#ifndef TK_EDIT_UTRACE_MERGE_PIECE_LOOK_H
#define TK_EDIT_UTRACE_MERGE_PIECE_LOOK_H

#include "edit/utrace/owner.h"

/* Fills in begin, first, markers and, where `overlaps` says so, the first records of threads. What is damaged
 * goes to the capture's health. TK_OK or as tk_edit_run. */
int tk_merge_piece_look(struct tk_merge_piece *p, bool overlaps, struct tk_err *err);

#endif
