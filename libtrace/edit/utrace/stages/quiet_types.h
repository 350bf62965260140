/*
 * Types of which a walk does not need the events one by one: they are passed over, or handed on together.
 */
#ifndef TK_EDIT_UTRACE_WALK_QUIET_TYPES_H
#define TK_EDIT_UTRACE_WALK_QUIET_TYPES_H

#include "edit/utrace/stages/walk.h"

/* Zero-initialise. */
struct tk_edit_quiet_types {
    uint32_t *passes; /* by uid (tk_ut_decoder.passes); owned; NULL before protocol 5 */
    bool *goes;       /* by uid: events that are left out; owned */
};

/* Events that the walker does not want, and those that no stage has to see one by one, are handed on together
 * where the last stage takes them so; else the former are passed over. TK_OK or TK_ENOMEM. */
int tk_edit_quiet_types_init(struct tk_edit_quiet_types *q, const struct tk_ut_capture *c,
                             const struct tk_edit_walker *walker);
void tk_edit_quiet_types_release(struct tk_edit_quiet_types *q);

#endif
