/*
 * What an edit says of itself in its result: events of the logger Tracekit, which other readers pass over.
 */
#ifndef TK_EDIT_UTRACE_RECORD_H
#define TK_EDIT_UTRACE_RECORD_H

#include "format/utrace/schema/schema.h"
#include "format/utrace/write/lanes.h"

/* The types, whose uids are to be set. Gap: bytes of a thread are missing here. Left: stands where an event
 * was that is left out, and has its serial number. Edit: see tk_edit_record_put. */
extern const struct tk_uw_type tk_edit_type_gap, tk_edit_type_left, tk_edit_type_edit;

/* Is there room for all own types? */
bool tk_edit_own_uids(const struct tk_ut_schema *schema);

/* An own type with its uid, the place-th behind all others, or of those that are free; declared on a lane
 * unless it was. A uid of 0: there is no room for it. */
struct tk_uw_type tk_edit_own_type(struct tk_uw_lane *declarations, const struct tk_ut_schema *schema,
                                   const struct tk_uw_type *type, unsigned place);

/* Whole capture: `from` 0 and `to` UINT64_MAX. Cycles of the clock. */
struct tk_edit_span {
    uint64_t from, to;
    uint32_t first_frame; /* game frames that were left out in front */
};

/* Writes an event that tells of one edit; text is a line of JSON. */
void tk_edit_record_put(struct tk_uw_lane *important, const struct tk_uw_type *type,
                        const struct tk_edit_span *span, const char *text, size_t n);

#endif
