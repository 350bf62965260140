/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_EDIT_UTRACE_STAGES_STAGES_IN_H
#define TK_EDIT_UTRACE_STAGES_STAGES_IN_H

#include "edit/utrace/stages/stage.h"

/*
 * Scope records of a lane, and the events they are about: a begin waits for the record behind it, which says
 * whether it belongs to an event. For stages that leave events out.
 */

struct tk_edit_scopes {
    struct tk_ut_scope waiting; /* a begin that is not handed on yet, */
    bool waits;                 /* where this says so */
    TK_VEC(bool) dropped;       /* the scopes that are open: is their begin left out? */
};

/* A scope record, whose begin waits. TK_OK or negative. */
int tk_edit_scopes_take(struct tk_edit_scopes *s, struct tk_edit_stage *stage,
                        const struct tk_edit_item *item);

/* An event comes, which is left out or not: what waits for it is handed on, or left out with it. */
int tk_edit_scopes_event(struct tk_edit_scopes *s, struct tk_edit_stage *stage, struct tk_ut_lane *lane,
                         bool dropped);

/* Bytes are missing, or the lane ends: what waits is handed on; scopes that are open will not end. */
int tk_edit_scopes_cut(struct tk_edit_scopes *s, struct tk_edit_stage *stage, struct tk_ut_lane *lane);

#endif
