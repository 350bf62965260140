/*
 * A merge of captures of Tracy: what is asked, and the file that comes of it.
 * Between tk_edit_merge and the walk over all payloads.
 */
#ifndef TK_EDIT_TRACY_MERGE_EDIT_TRACY_MERGE_H
#define TK_EDIT_TRACY_MERGE_EDIT_TRACY_MERGE_H

#include "edit/tracy/merge.h"
#include "format/tracy/file/packer.h"

/* Zero-initialise, and release. */
struct tk_edit_tracy_merge {
    struct tk_tracy_merge merge; /* its first members set by the caller */
    struct tk_tracy_packing packing;
};

/* Finds out what becomes of names and times. TK_OK or as tk_edit_merge. */
int tk_edit_tracy_merge_plan(struct tk_edit_tracy_merge *e, const char *compress, unsigned streams,
                             struct tk_err *err);

int tk_edit_tracy_merge_write(struct tk_edit_tracy_merge *e, tk_tracy_write_fn *write, void *ctx,
                              struct tk_err *err);

void tk_edit_tracy_merge_release(struct tk_edit_tracy_merge *e);

#endif
