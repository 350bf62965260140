/*
 * The stage that cuts: records in the window stay, and the records around it that the window needs.
 */
#ifndef TK_EDIT_UTRACE_CUT_CUTTER_H
#define TK_EDIT_UTRACE_CUT_CUTTER_H

#include "edit/utrace/cut/survey.h"

enum tk_edit_cut_walk {
    TK_CUT_SURVEY, /* fills the survey */
    TK_CUT_MEMORY, /* and its part about memory */
    TK_CUT_DECIDE  /* the survey is complete */
};

struct tk_edit_cutter {
    struct tk_edit_stage stage;
    struct tk_edit_survey *survey; /* borrowed */
    enum tk_edit_cut_walk walk;
    bool recalls;                       /* the second walk that decides: as the first one did */
    bool failed;                        /* out of memory */
    struct tk_edit_cut_lane **lanes;    /* by tid; owned */
    struct tk_edit_thing_place *places; /* of the survey's things; owned */
};

/* TK_OK or TK_ENOMEM. `next` is NULL in walks that decide nothing. */
int tk_edit_cutter_init(struct tk_edit_cutter *s, struct tk_edit_survey *survey, enum tk_edit_cut_walk walk,
                        struct tk_edit_stage *next);

/* Does a walk that decides nothing look at events of this class? */
bool tk_edit_cutter_inspects(enum tk_edit_cut_walk walk, enum tk_edit_cut_class kind);

void tk_edit_cutter_release(struct tk_edit_cutter *s);

#endif
