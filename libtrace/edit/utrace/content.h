/*
 * What a record says, as one number: by it merges know records that are in several pieces of a recording.
 */
#ifndef TK_EDIT_UTRACE_MERGE_CONTENT_H
#define TK_EDIT_UTRACE_MERGE_CONTENT_H

#include "base/hash.h"
#include "edit/utrace/stages/stage.h"

/* Of an event with all its fields, but not its serial number. */
uint64_t tk_merge_event_content(const struct tk_ut_event *ev);

/* Of an event with its serial number as it stands in the file, or of a scope record. */
uint64_t tk_merge_record_content(const struct tk_edit_item *item);

/* How often each content came. Zero-initialise. */
struct tk_merge_counts {
    struct tk_map map;
};

/* One more of a content: how many there were before, or -1 if out of memory. */
int64_t tk_merge_count(struct tk_merge_counts *c, uint64_t content);

/* How many there are. */
uint32_t tk_merge_counted(const struct tk_merge_counts *c, uint64_t content);

void tk_merge_counts_release(struct tk_merge_counts *c);

#endif
