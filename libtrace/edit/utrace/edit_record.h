/*
 * The line of JSON that an edit writes of itself: what was done, never to which texts.
 */
#ifndef TK_EDIT_UTRACE_EDIT_RECORD_H
#define TK_EDIT_UTRACE_EDIT_RECORD_H

#include "edit/utrace/edit_utrace.h"
#include "format/utrace/write/bytes.h"

/* Appends the line; sets text->failed if out of memory. */
void tk_edit_record_text(struct tk_uw_bytes *text, const struct tk_edit_utrace *e);

#endif
