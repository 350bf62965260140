/*
 * The first stage of every edit: events of which the end is missing. Of a batch of CPU scopes the whole
 * entries stay; others are left out, as half a text or number would be an invention.
 */
#ifndef TK_EDIT_UTRACE_STAGES_MENDER_H
#define TK_EDIT_UTRACE_STAGES_MENDER_H

#include "base/vec.h"
#include "edit/utrace/stages/batch.h"
#include "edit/utrace/stages/stage.h"

/* Batches that do not end with an entry, by their place among all of them. */
struct tk_edit_broken {
    TK_VEC(uint64_t) batches;
};

struct tk_edit_mender {
    struct tk_edit_stage stage;
    struct tk_edit_batch_steps steps;
    uint8_t *forms; /* of batches, by type id, n; owned */
    size_t n;
    struct tk_edit_broken *broken; /* borrowed; NULL: all batches are looked at */
    bool finds;                    /* it is filled, not read */
    uint64_t batches;              /* so far */
    size_t next;                   /* of broken */
};

/* In front of `next`. TK_OK or TK_ENOMEM. */
int tk_edit_mender_init(struct tk_edit_mender *m, const struct tk_ut_schema *schema,
                        struct tk_edit_broken *broken, bool finds, struct tk_edit_stage *next);
void tk_edit_mender_release(struct tk_edit_mender *m);

/* Notes how many batches were found: one or more. */
void tk_edit_tell_broken(struct tk_health *health, const struct tk_edit_broken *broken);

#endif
