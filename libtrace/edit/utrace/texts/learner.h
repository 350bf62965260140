/*
 * The stage that learns the texts of a capture: the last of a walk before all others, or in front of the
 * others of the first one. Fills the dictionary by which the anonymiser replaces them.
 */
#ifndef TK_EDIT_UTRACE_TEXTS_LEARNER_H
#define TK_EDIT_UTRACE_TEXTS_LEARNER_H

#include "edit/utrace/stages/stage.h"
#include "edit/utrace/texts/texts.h"

struct tk_edit_learner {
    struct tk_edit_stage stage;
    struct tk_edit_texts *texts; /* borrowed */
    bool replaces; /* what was replaced (tk_edit_texts.words) was learned, and nothing else is noted */
    struct tk_edit_text_rule rule; /* of the field in hand, */
    int rc;                        /* and what became of it */
};

/* Learns the texts of an event. TK_OK or TK_ENOMEM. */
int tk_edit_learner_see(struct tk_edit_learner *s, const struct tk_ut_event *ev);

/* next: who gets what is learned from; NULL: nobody. */
void tk_edit_learner_init(struct tk_edit_learner *s, struct tk_edit_texts *texts, struct tk_edit_stage *next);

#endif
