/*
 * The stage that looks at a result: does a text that was replaced still stand in it?
 * The last of a walk over what was written.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_INSPECTOR_H
#define TK_EDIT_UTRACE_TEXTS_INSPECTOR_H

#include "edit/utrace/stages/stage.h"
#include "edit/utrace/texts/texts.h"

struct tk_edit_inspector {
    struct tk_edit_stage stage;
    struct tk_edit_texts *texts;     /* with the rules of the result; borrowed */
    struct tk_edit_text_rule rule;   /* of the field in hand */
    const struct tk_anon_entry *hit; /* the first; NULL: none */
    const struct tk_ut_type *type;   /* and where it stands */
    uint32_t field;
    int rc;
};

void tk_edit_inspector_init(struct tk_edit_inspector *s, struct tk_edit_texts *texts);

#endif
