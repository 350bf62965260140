/*
 * The stage that cuts, put together.
 */
#include "edit/utrace/cut/cut_in.h"
#include "format/utrace/wire/index.h"

#include <stdlib.h>

/* In walks that decide nothing it is the last stage. */
static int drop(struct tk_edit_stage *stage, const struct tk_edit_item *item)
{
    (void)stage;
    (void)item;
    return TK_OK;
}

/* Likewise: what it was in question it has looked at. */
static int quiet(struct tk_edit_stage *stage, const struct tk_edit_quiet *q)
{
    (void)stage;
    (void)q;
    return TK_OK;
}

static const struct tk_edit_stage_ops ops = {.take = tk_edit_cut_take,
                                             .drop = drop,
                                             .gap = tk_edit_cut_gap,
                                             .end = tk_edit_cut_end,
                                             .judge = tk_edit_cut_judge,
                                             .look = tk_edit_cut_look,
                                             .quiet = quiet};

bool tk_edit_cutter_inspects(enum tk_edit_cut_walk walk, enum tk_edit_cut_class kind)
{
    if (kind == TK_CUT_ALLOCATION)
        return true;
    return walk == TK_CUT_SURVEY &&
           (kind == TK_CUT_KEYED || kind == TK_CUT_CHUNK || kind == TK_CUT_FRAME || kind == TK_CUT_BATCH ||
            kind == TK_CUT_END_THREAD || kind == TK_CUT_MARKER);
}

int tk_edit_cutter_init(struct tk_edit_cutter *s, struct tk_edit_survey *survey, enum tk_edit_cut_walk walk,
                        struct tk_edit_stage *next)
{
    *s = (struct tk_edit_cutter){.survey = survey, .walk = walk};
    tk_edit_stage_init(&s->stage, &ops, next);
    s->lanes = calloc(TK_UT_TIDS, sizeof *s->lanes);
    s->places = walk == TK_CUT_DECIDE ? calloc(survey->things.v.n + 1, sizeof *s->places) : NULL;
    return s->lanes && (s->places || walk != TK_CUT_DECIDE) ? TK_OK : TK_ENOMEM;
}

void tk_edit_cutter_release(struct tk_edit_cutter *s)
{
    for (size_t i = 0; s->lanes && i < TK_UT_TIDS; i++) {
        struct tk_edit_cut_lane *l = s->lanes[i];
        if (!l)
            continue;
        tk_edit_cut_drop_marks(l);
        tk_vec_release(&l->marks);
        tk_vec_release(&l->before);
        tk_edit_cut_scopes_release(&l->scopes);
        free(l->batch);
        free(l);
    }
    free(s->lanes);
    free(s->places);
    *s = (struct tk_edit_cutter){0};
}
