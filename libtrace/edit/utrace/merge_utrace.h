/*
 * Several .utrace as one: pieces of the recording of one process, cut out of one file, or recorded one after
 * the other, of which a later one begins with what threads wrote last.
 */
#ifndef TK_EDIT_UTRACE_MERGE_MERGE_UTRACE_H
#define TK_EDIT_UTRACE_MERGE_MERGE_UTRACE_H

#include "edit/utrace/edit_utrace.h"
#include "edit/utrace/joiner.h"
#include "edit/utrace/owner.h"

/* A merge under way. Zero-initialise; release. */
struct tk_edit_utrace_merge {
    struct tk_merge_piece *pieces; /* n, in the order of their times; owned */
    size_t n;
    struct tk_merge_types *types; /* owned */
    struct tk_merge_joiner joiner;
    uint64_t written;
    size_t at_fault; /* which one of those that were named an error is about; SIZE_MAX: none */
    bool plain;
    int level;
};

/* Finds out what each piece gives. The captures, n of them, are borrowed until it is released. TK_OK;
 * TK_EUSAGE: they are no pieces of one recording; TK_ELIMIT; or as tk_edit_run. */
int tk_edit_utrace_merge_plan(struct tk_edit_utrace_merge *m, struct tk_ut_capture *const *captures, size_t n,
                              struct tk_err *err);

/* Writes it. TK_EOUTPUT without a text where writing failed. */
int tk_edit_utrace_merge_write(struct tk_edit_utrace_merge *m, tk_edit_write *write, void *ctx,
                               struct tk_err *err);

void tk_edit_utrace_merge_release(struct tk_edit_utrace_merge *m);

#endif
