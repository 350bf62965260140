/*
 * The stage that ends CPU scopes which have no end: where a thread ends, where bytes of it are missing, or at
 * the end of the capture. It stands behind the stages that choose and before those that replace.
 */
#ifndef TK_EDIT_UTRACE_CLOSER_H
#define TK_EDIT_UTRACE_CLOSER_H

#include "edit/utrace/stages/stage.h"
#include "format/utrace/feed/capture_state.h"

struct tk_edit_closer {
    struct tk_edit_stage stage;
    struct tk_edit_close_type *types; /* by type id, n; owned */
    size_t n;
    struct tk_edit_close_lane **lanes; /* by tid; owned */
    int64_t last;                      /* time of the end of the capture, cycles since the start, */
    uint64_t start;                    /* of its clock */
};

/* TK_OK or TK_ENOMEM. */
int tk_edit_closer_init(struct tk_edit_closer *s, const struct tk_ut_capture *c, int64_t last,
                        struct tk_edit_stage *next);
void tk_edit_closer_release(struct tk_edit_closer *s);

#endif
