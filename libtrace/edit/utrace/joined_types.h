/*
 * The event types of a merge: those of all pieces, each once and under its own number.
 */
#ifndef TK_EDIT_UTRACE_MERGE_JOINED_TYPES_H
#define TK_EDIT_UTRACE_MERGE_JOINED_TYPES_H

#include "base/err.h"
#include "format/utrace/feed/capture_state.h"

/* Numbers of types, which declarations hold in 14 bits. */
#define TK_MERGE_UIDS 0x3fff

struct tk_merge_types {
    const struct tk_ut_type *by_uid[TK_MERGE_UIDS]; /* borrowed from the pieces */
    uint16_t highest;
};

/* Adds the types of a piece. TK_OK, or TK_EUSAGE: one number means two types. */
int tk_merge_types_add(struct tk_merge_types *t, const struct tk_ut_capture *c, struct tk_err *err);

/* Is it a type that edits themselves write? A merge does so anew. */
bool tk_merge_type_own(const struct tk_ut_type *type);

#endif
