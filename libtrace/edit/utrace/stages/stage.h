/*
 * Stages of an edit: each takes what a .utrace holds, record by record, and hands on what is to stay of it,
 * as it is or changed. The last one counts (account.h) or writes (rewrite.h); the walk (walk.h) feeds the
 * first.
 */
#ifndef TK_EDIT_UTRACE_STAGES_STAGE_H
#define TK_EDIT_UTRACE_STAGES_STAGE_H

#include "base/err.h"
#include "format/utrace/lanes/lane.h"

/* A record of a lane: an event or a scope record. Borrowed while it is handed on. */
struct tk_edit_item {
    struct tk_ut_lane *lane;
    struct tk_ut_event *ev;          /* NULL: a scope record */
    const struct tk_ut_scope *scope; /* NULL: an event */
    uint64_t number;                 /* its serial number, counted on past wraps; 0: it has none */
    bool changed;                    /* not as it stands in the file */
    bool unsure;                     /* it may change yet, when all texts are known */
};

struct tk_edit_stage;

struct tk_edit_stage_ops {
    /* A record that stays so far. TK_OK or negative. */
    int (*take)(struct tk_edit_stage *s, const struct tk_edit_item *item);

    /* A record that is left out, to the last stage at once. NULL in all others. */
    int (*drop)(struct tk_edit_stage *s, const struct tk_edit_item *item);

    /* Bytes of the lane are missing here. NULL: it is handed on. */
    int (*gap)(struct tk_edit_stage *s, struct tk_ut_lane *lane);

    /* The lane ends here. NULL: it is handed on. */
    int (*end)(struct tk_edit_stage *s, struct tk_ut_lane *lane);
};

/* The first member of what implements it. */
struct tk_edit_stage {
    const struct tk_edit_stage_ops *ops;
    struct tk_edit_stage *next; /* NULL: the last one */
    struct tk_edit_stage *last;
};

static inline int tk_edit_take(struct tk_edit_stage *s, const struct tk_edit_item *item)
{
    return s->ops->take(s, item);
}

static inline int tk_edit_drop(struct tk_edit_stage *s, const struct tk_edit_item *item)
{
    return s->last->ops->drop(s->last, item);
}

static inline int tk_edit_gap(struct tk_edit_stage *s, struct tk_ut_lane *lane)
{
    while (!s->ops->gap && s->next)
        s = s->next;
    return s->ops->gap ? s->ops->gap(s, lane) : TK_OK;
}

static inline int tk_edit_end(struct tk_edit_stage *s, struct tk_ut_lane *lane)
{
    while (!s->ops->end && s->next)
        s = s->next;
    return s->ops->end ? s->ops->end(s, lane) : TK_OK;
}

/* Puts a stage in front of those that begin with `next`, which may be NULL. */
static inline void tk_edit_stage_init(struct tk_edit_stage *s, const struct tk_edit_stage_ops *ops,
                                      struct tk_edit_stage *next)
{
    s->ops = ops;
    s->next = next;
    s->last = next ? next->last : s;
}

#endif
