/*
 * Stages of an edit: each takes what a .utrace holds, record by record, and hands on what is to stay of it,
 * as it is or changed. The last one counts or writes; the walk (walk.h) feeds the
 * first.
 */
#ifndef TK_EDIT_UTRACE_STAGES_STAGE_H
#define TK_EDIT_UTRACE_STAGES_STAGE_H

#include "base/cursor.h"
#include "base/err.h"
#include "base/vec.h"
#include "format/utrace/feed/family.h"
#include "format/utrace/lanes/lane.h"
#include "format/utrace/schema/event.h"
#include "format/utrace/schema/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    TK_EDIT_INSPECTS,         /* it has to see each of them */
    TK_EDIT_INSPECTS_BRIEFLY, /* it looks at the bytes of each, and mostly need not see more */
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

    /* NULL: TK_EDIT_INSPECTS. */
    enum tk_edit_verdict (*judge)(const struct tk_edit_stage *s, const struct tk_ut_type *type);

    /* Where the verdict of any stage is TK_EDIT_INSPECTS_BRIEFLY: what becomes of this event?
     * TK_EDIT_INSPECTS, which changes nothing: it comes as any other. Else it does not, and may count as
     * seen. */
    enum tk_edit_verdict (*look)(struct tk_edit_stage *s, struct tk_ut_lane *lane,
                                 const struct tk_ut_type *type, const struct tk_ut_passed *event);

    /* It comes after all, as a later stage requests it. NULL: the look changes nothing. */
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
    enum tk_edit_verdict verdict = first->last->ops->quiet ? TK_EDIT_STAYS_AS_IS : TK_EDIT_INSPECTS;
    *briefly = false;
    for (const struct tk_edit_stage *s = first; s && verdict == TK_EDIT_STAYS_AS_IS; s = s->next) {
        if (s == s->last && !s->ops->judge)
            break;
        verdict = s->ops->judge ? s->ops->judge(s, type) : TK_EDIT_INSPECTS;
        if (verdict == TK_EDIT_INSPECTS_BRIEFLY) {
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

/*
 * Batches of CPU scopes (events 2.3), entry by entry, for stages that change them.
 */

/* An entry. */
struct tk_edit_entry {
    uint64_t
        cycles; /* since the entry before it; of the first one absolute, or since the start of the clock */
    uint64_t number; /* of a begin: what follows it, uncut; of a coroutine its id */
    uint64_t depth;  /* of a coroutine: scopes that come back or go with it */
    bool begins, coroutine;
};

/* The form of the batches of a type, 1 to 3; 0: it is no batch. */
unsigned tk_edit_batch_form(const struct tk_ut_type *type);

/* The array data of an event that is handed on as it stands, where that is one piece with something in it;
 * its `field` is as in the file. */
bool tk_edit_passed_value(const struct tk_ut_type *type, const struct tk_ut_passed *event,
                          struct tk_ut_blob *value);

/* Reads an entry. False where no whole one is left. */
bool tk_edit_batch_next(struct tk_cur *c, unsigned form, struct tk_edit_entry *out);

/* Where four bytes of a batch lead, by the three bits of each that say so: from each of four states, two
 * bits. */
struct tk_edit_batch_steps {
    uint8_t to[4096];
};

void tk_edit_batch_steps_init(struct tk_edit_batch_steps *steps);

/* How many of n bytes are whole entries. */
size_t tk_edit_batch_whole(const struct tk_edit_batch_steps *steps, const uint8_t *p, size_t n,
                           unsigned form);

/*
 * What an edit keeps and drops, by types of events: words of options compiled for a capture, and the stage
 * that obeys them.
 */

/* Words: topics, families and patterns "Logger.Event". */
struct tk_edit_words {
    const char *const *keep, *const *drop; /* n_keep 0: all */
    size_t n_keep, n_drop;
    const bool *threads; /* by tid, those that stay; NULL: all */
};

struct tk_edit_choice {
    bool *drops;      /* owned: by type id */
    bool *of_threads; /* owned: by type id, scopes and logs, which go with their thread */
    size_t n;
    const bool *threads; /* those that stay, by tid; NULL: all; borrowed */
    bool any;            /* is anything dropped? */
};

/* TK_OK, TK_ENOMEM, or TK_EMATCH with a word that names nothing. */
int tk_edit_choice_make(struct tk_edit_choice *c, const struct tk_ut_capture *capture,
                        const struct tk_edit_words *words, struct tk_err *err);

void tk_edit_choice_release(struct tk_edit_choice *c);

/* Leaves out events of the types that are dropped, and the scopes around them. */
struct tk_edit_chooser {
    struct tk_edit_stage stage;
    const struct tk_edit_choice *choice;
    struct tk_edit_scopes **scopes; /* by tid; owned */
};

int tk_edit_chooser_init(struct tk_edit_chooser *s, const struct tk_edit_choice *choice,
                         struct tk_edit_stage *next);
void tk_edit_chooser_release(struct tk_edit_chooser *s);

/*
 * An event in a stamped scope that began before the window, kept until it is known whether the scope reaches
 * into it.
 */

struct tk_edit_held {
    struct tk_ut_event ev; /* with bytes of its own */
    uint64_t number;
};

/* A copy, to be freed with free(); NULL if out of memory. */
struct tk_edit_held *tk_edit_hold(const struct tk_ut_event *ev, uint64_t number);

/*
 * The first stage of every edit: events of which the end is missing. Of a batch of CPU scopes the whole
 * entries stay; others are left out, as half a text or number would be an invention.
 */

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

/*
 * Topics of event types: the words by which edits keep and drop what a .utrace holds.
 */

/* The topic of a type; "other" for those that no family understands. Static. */
const char *tk_edit_topic(const struct tk_ut_type *t);

/* Is the type of what a word names: a topic, a family, or one of their other names? */
bool tk_edit_topic_has(const char *word, const struct tk_ut_type *t);

/* Is there a topic or family of this name, in whatever capture? */
bool tk_edit_topic_known(const char *word);

/* The i-th word that is known, or NULL: for suggestions. */
const char *tk_edit_topic_word(size_t i);

/* Is it of those without which no capture can be read: the clock, threads, channels? These are always kept.
 */
bool tk_edit_type_vital(const struct tk_ut_type *t);

#endif
