/*
 * The stage that looks at a result: does a text that was replaced still stand in it?
 * The last of a walk over what was written.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_INSPECTOR_H
#define TK_EDIT_UTRACE_TEXTS_INSPECTOR_H

#include "edit/utrace/stages/stage.h"
#include "edit/utrace/texts/text_queue.h"
#include "edit/utrace/texts/texts.h"

struct tk_edit_inspector {
    struct tk_edit_stage stage;
    struct tk_edit_texts *texts;     /* with the rules of the result; borrowed */
    struct tk_edit_text_rule rule;   /* of the field in hand */
    const struct tk_anon_entry *hit; /* the first; NULL: none */
    const struct tk_ut_type *type;   /* and where it stands */
    uint32_t field;
    int rc;
    struct tk_edit_text_queue queue;
};

/* It looks beside the walk. It must not move. */
void tk_edit_inspector_init(struct tk_edit_inspector *s, struct tk_edit_texts *texts, struct tk_pool *pool);

/* Waits until all was looked at. TK_OK or TK_ENOMEM. */
int tk_edit_inspector_finish(struct tk_edit_inspector *s);

void tk_edit_inspector_release(struct tk_edit_inspector *s);

#endif
