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
};

struct tk_edit_stage;

/* What a stage does with complete events of a type, wherever they stand outside of others and of scopes. */
enum tk_edit_verdict {
    TK_EDIT_ASKS,         /* it has to see each of them */
    TK_EDIT_ASKS_BRIEFLY, /* it looks at the bytes of each, and mostly need not see more */
    TK_EDIT_STAYS_AS_IS,
    TK_EDIT_GOES
};

/* Events of a lane that follow each other, of types on which all stages have a verdict. Borrowed. */
struct tk_edit_quiet {
    struct tk_ut_lane *lane;
    const struct tk_ut_passed *events; /* n */
    size_t n;
    struct tk_ut_type *const *types; /* by uid */
    const bool *goes;                /* by uid: these are left out, as are those of which a stage said so */
};

struct tk_edit_stage_ops {
    /* A record that stays so far. TK_OK or negative. */
    int (*take)(struct tk_edit_stage *s, const struct tk_edit_item *item);

    /* A record that is left out, to the last stage at once. NULL in all others. */
    int (*drop)(struct tk_edit_stage *s, const struct tk_edit_item *item);

    /* Bytes of the lane are missing here. NULL: it is handed on. */
    int (*gap)(struct tk_edit_stage *s, struct tk_ut_lane *lane);

    /* The lane ends here. NULL: it is handed on. */
    int (*end)(struct tk_edit_stage *s, struct tk_ut_lane *lane);

    /* NULL: TK_EDIT_ASKS. */
    enum tk_edit_verdict (*judge)(const struct tk_edit_stage *s, const struct tk_ut_type *type);

    /* Where the verdict of any stage is TK_EDIT_ASKS_BRIEFLY: what becomes of this event? TK_EDIT_ASKS, which
     * changes nothing: it comes as any other. Else it does not, and may count as seen. */
    enum tk_edit_verdict (*look)(struct tk_edit_stage *s, struct tk_ut_lane *lane,
                                 const struct tk_ut_type *type, const struct tk_ut_passed *event);

    /* It comes after all, as a later stage asks for it. NULL: the look changes nothing. */
    void (*unlook)(struct tk_edit_stage *s, const struct tk_ut_type *type);

    /* Of the last stage: takes, or drops, many events. NULL: it wants them one by one. TK_OK or negative. */
    int (*quiet)(struct tk_edit_stage *s, const struct tk_edit_quiet *quiet);
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

/* The verdict of all stages from the first one on. *briefly: some of them look at each event. */
static inline enum tk_edit_verdict tk_edit_judge(const struct tk_edit_stage *first,
                                                 const struct tk_ut_type *type, bool *briefly)
{
    enum tk_edit_verdict verdict = first->last->ops->quiet ? TK_EDIT_STAYS_AS_IS : TK_EDIT_ASKS;
    *briefly = false;
    for (const struct tk_edit_stage *s = first; s && verdict == TK_EDIT_STAYS_AS_IS; s = s->next) {
        if (s == s->last && !s->ops->judge)
            break;
        verdict = s->ops->judge ? s->ops->judge(s, type) : TK_EDIT_ASKS;
        if (verdict == TK_EDIT_ASKS_BRIEFLY) {
            *briefly = true;
            verdict = TK_EDIT_STAYS_AS_IS;
        }
    }
    return verdict;
}

/* Is an event left out? */
static inline bool tk_edit_quiet_goes(const struct tk_edit_quiet *q, const struct tk_ut_passed *event)
{
    return q->goes[event->uid] || event->answer == TK_EDIT_GOES;
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
