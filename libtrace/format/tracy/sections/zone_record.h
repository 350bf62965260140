/*
 * Zones as records, with what their extras say: text, own name, colour, callstack (tracy-file 5.9, 5.10).
 */
#ifndef TK_FORMAT_TRACY_SECTIONS_SCOPES_ZONE_RECORD_H
#define TK_FORMAT_TRACY_SECTIONS_SCOPES_ZONE_RECORD_H

#include "format/tracy/walk/section.h"

/* Tells the begin or end of a zone of a thread where it is wanted; an end that is not there is not told.
 * TK_OK or TK_ENOMEM. */
int tk_tracy_say_zone(struct tk_tracy_walk *w, uint32_t thread, const struct tk_tracy_zone_event *ev);

#endif
