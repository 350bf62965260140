/*
 * What edits of a capture say of themselves: strings of its table, to which the information about the program
 * refers, as the format has no other place.
 */
#ifndef TK_FORMAT_TRACY_STATE_EDITS_H
#define TK_FORMAT_TRACY_STATE_EDITS_H

#include "format/tracy/walk/capture_state.h"

#define TK_TRACY_EDIT_MARK "tracekit-edit {\"edit\":1,\"tool\":\"tracekit "

struct tk_tracy_edit {
    int64_t from, to;     /* what it left; INT64_MIN and INT64_MAX: all on that side */
    struct tk_str record; /* JSON, in the strings of the capture */
};

/* Is a text such a record? */
bool tk_tracy_edit_is(const struct tk_str *text);

/* Reads the record of a text that is one. */
void tk_tracy_edit_read(const struct tk_str *text, struct tk_tracy_edit *edit);

/* What all edits of a capture together left, when its strings are known. */
struct tk_kept_part tk_tracy_edits_kept(const struct tk_tracy_capture *c);

#endif
