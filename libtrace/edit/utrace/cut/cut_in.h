/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_EDIT_UTRACE_CUT_CUT_IN_H
#define TK_EDIT_UTRACE_CUT_CUT_IN_H

#include "edit/utrace/cut/cutter.h"
#include "edit/utrace/stages/stage.h"

/*
 * What a cut knows of a lane, and what it does with an event of one. Between the stage, and its look at
 * events that need not be decoded.
 */

/* A scope record that is open on a lane. */
struct tk_edit_cut_mark {
    struct tk_edit_held *held; /* begun before the window, and not handed on yet; owned */
    int64_t time;
    bool kept, timed;
};

struct tk_edit_cut_lane {
    struct tk_edit_cut_scopes scopes; /* of batches */
    struct tk_ut_scope waiting;       /* a begin that is not handed on yet, */
    bool waits;                       /* where this says so */
    TK_VEC(struct tk_edit_cut_mark) marks;
    int64_t latest;                     /* time of its events so far */
    uint64_t batches;                   /* so far */
    TK_VEC(struct tk_edit_open) before; /* in the survey: what was open before the last batch */
    struct tk_edit_held *batch;         /* the last batch, as a pattern for another; owned */
    const struct tk_ut_field *data;
};

/* NULL if out of memory. */
struct tk_edit_cut_lane *tk_edit_cut_lane_of(struct tk_edit_cutter *s, uint32_t tid);

/* The time of an event that stands in no scope record: its own, or the latest one of its lane, which that
 * becomes. */
int64_t tk_edit_cut_time(const struct tk_edit_cutter *s, struct tk_edit_cut_lane *l,
                         const struct tk_ut_event *ev);

/* Takes an event, of which the rules know the type. TK_OK or negative. */
int tk_edit_cut_event(struct tk_edit_cutter *s, struct tk_edit_cut_lane *l, const struct tk_edit_item *item);

/* In the walk that decides: does an event stay? Of all classes but those of scopes. */
bool tk_edit_cut_stays(struct tk_edit_cutter *s, const struct tk_edit_item *item, int64_t time);

/* Forgets scope records that are open. */
void tk_edit_cut_drop_marks(struct tk_edit_cut_lane *l);

/* Parts of the stage (stage.h). */
int tk_edit_cut_take(struct tk_edit_stage *stage, const struct tk_edit_item *item);
int tk_edit_cut_gap(struct tk_edit_stage *stage, struct tk_ut_lane *lane);
int tk_edit_cut_end(struct tk_edit_stage *stage, struct tk_ut_lane *lane);
enum tk_edit_verdict tk_edit_cut_judge(const struct tk_edit_stage *stage, const struct tk_ut_type *type);
enum tk_edit_verdict tk_edit_cut_look(struct tk_edit_stage *stage, struct tk_ut_lane *lane,
                                      const struct tk_ut_type *type, const struct tk_ut_passed *event);

#endif
