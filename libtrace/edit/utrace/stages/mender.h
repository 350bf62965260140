/*
 * The first stage of every edit: events of which the end is missing. Of a batch of CPU scopes the whole
 * entries stay; others are left out, as half a text or number would be an invention.
 */
#ifndef TK_EDIT_UTRACE_STAGES_MENDER_H
#define TK_EDIT_UTRACE_STAGES_MENDER_H

#include "edit/utrace/stages/stage.h"

/* It has no state. */
extern const struct tk_edit_stage_ops tk_edit_mender_ops;

#endif
