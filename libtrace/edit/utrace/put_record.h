/*
 * Records of a lane as they are written again: of edits and of merges.
 */
#ifndef TK_EDIT_UTRACE_PUT_RECORD_H
#define TK_EDIT_UTRACE_PUT_RECORD_H

#include "format/utrace/lanes/lane.h"
#include "format/utrace/write/lanes.h"

/* Writes an event, of the type that has this uid in the result. */
void tk_edit_put_event(struct tk_uw_lane *lane, const struct tk_ut_event *ev, uint16_t uid, uint32_t serial);

/* Writes an event as it stands but for its serial number; of a thread of protocols 5 to 7. */
void tk_edit_put_passed(struct tk_uw_lane *lane, const struct tk_ut_type *from,
                        const struct tk_ut_passed *event, uint32_t serial);

/* The serial number that an event with one has in the file. */
static inline uint32_t tk_edit_passed_serial(const struct tk_ut_passed *event)
{
    return event->synced ? tk_load32(event->p + 1) >> 8 : 0;
}

/* Writes a scope record. */
void tk_edit_put_scope(struct tk_uw_lane *lane, const struct tk_ut_scope *scope);

/* Writes the declaration of a type as its capture states it. */
void tk_edit_put_type(struct tk_uw_lane *lane, const struct tk_ut_type *type);

#endif
