/*
 * The last stage of a merge: counts what all pieces give, and then writes it, one piece behind the other.
 */
#ifndef TK_EDIT_UTRACE_MERGE_JOINER_H
#define TK_EDIT_UTRACE_MERGE_JOINER_H

#include "edit/utrace/result_lanes.h"
#include "edit/utrace/serial_set.h"
#include "edit/utrace/stages/stage.h"
#include "edit/utrace/stages/walk.h"
#include "edit/utrace/joined_types.h"

/* Zero-initialise. */
struct tk_merge_joiner {
    struct tk_edit_stage stage;
    struct tk_edit_serials serials; /* of all pieces, each behind those before it */
    uint64_t base;                  /* added to the numbers of the piece in hand */
    uint64_t edits;                 /* records of earlier edits, which go */
    bool writes;
    struct tk_edit_result result;
};

int tk_merge_joiner_init(struct tk_merge_joiner *j);

/* From now on what comes is written; `sink` is borrowed. */
void tk_merge_joiner_write(struct tk_merge_joiner *j, const struct tk_ut_header *header,
                           struct tk_uw_sink *sink);

/* Writes declarations, also of the own types. */
int tk_merge_joiner_declare(struct tk_merge_joiner *j, const struct tk_merge_types *types);

/* Hooks of the walker, for writing. */
int tk_merge_joiner_packet(void *self, const struct tk_edit_packet *packet);
int tk_merge_joiner_rest(void *self);

void tk_merge_joiner_release(struct tk_merge_joiner *j);

#endif
