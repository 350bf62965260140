/*
 * Work of the timers of a capture: by their names, and where those say nothing by the waits that it recorded.
 */
#ifndef TK_MODEL_EXECUTION_WORK_KIND_H
#define TK_MODEL_EXECUTION_WORK_KIND_H

#include "base/health/row_limit.h"
#include "judge/work.h"
#include "query/context.h"
#include "query/select.h"
#include "query/slices.h"

/* Zero-initialise to begin. */
struct tk_work_rules {
    struct tk_work_list list;
    const struct tk_recorded_waits *reported; /* borrowed; NULL: the capture says nothing */
    TK_VEC(uint8_t) known;                    /* by timer id: 1 + enum tk_work; 0: not queried yet */
    size_t learned;                           /* timers that tk_work_learn looked at */
};

/* Reads the rules of the query (borrowed), and those that are compiled in. TK_OK, TK_ENOMEM, or TK_EUSAGE
 * with the line that is none. */
int tk_work_rules_read(struct tk_work_rules *rules, const struct tk_query_context *view, struct tk_err *err);

/* The work of a timer of the dictionary, by the first rule that matches its name; where none does, waiting if
 * the capture says so. To be queried when all is read. */
enum tk_work tk_work_of(struct tk_work_rules *rules, const struct tk_timer *timer);

/* Learns of the timers that the dictionary knows by now what cannot change any more; while facts are fed. 0,
 * or -1 without memory. */
int tk_work_learn(struct tk_work_rules *rules, const struct tk_dict *dict);

/* Is it known by now that a timer does not wait? Workers may ask. */
static inline bool tk_work_never_waits(const struct tk_work_rules *rules, uint32_t timer)
{
    return timer < rules->known.n && rules->known.v[timer] &&
           !tk_work_waits((enum tk_work)(rules->known.v[timer] - 1));
}

void tk_work_rules_release(struct tk_work_rules *rules);

/*
 * Recorded waits: which timers wait, by the waits that the capture records, for tasks and for locks, whatever
 * the timers are called.
 *
 * Facts come before the scopes that they happened in end. A wait belongs to the innermost scope around it,
 * less what ran inside meanwhile; a timer waits when at least half of its own time is such waits.
 */

#define TK_RECORDED_WAIT_FACTS  (TK_FACT_MASK(TASK_WAIT) | TK_FACT_MASK(LOCK))
#define TK_RECORDED_WAIT_SLICES TK_SLICE_BEGIN

/* Own time of a timer and what of it are waits, cycles. */
struct tk_recorded_wait_time {
    uint64_t own, waited;
};

struct tk_known_thread;

struct tk_recorded_waits {
    const struct tk_select *select;              /* borrowed */
    TK_VEC(struct tk_known_thread *) threads;    /* owned */
    struct tk_map by_thread;                     /* id -> place in threads */
    TK_VEC(struct tk_known_thread *) lanes;      /* by number; NULL: had no run */
    TK_VEC(struct tk_recorded_wait_time) timers; /* by id, when all is read */
    struct tk_row_limit capacity;                /* for waits that no scope has ended around yet */
};

void tk_recorded_waits_init(struct tk_recorded_waits *t, const struct tk_select *select,
                            struct tk_row_limit capacity);

/* Facts and lanes of a batch, before its slices. 0, or -1 without memory. */
int tk_recorded_waits_feed(struct tk_recorded_waits *t, const struct tk_batch *batch);

/* Slices of a lane of a thread, by several workers for different lanes. 0, or -1 without memory. */
int tk_recorded_waits_take(struct tk_recorded_waits *t, const struct tk_slices *slices);

/* When all is read and before anybody queries. 0, or -1 without memory. */
int tk_recorded_waits_settle(struct tk_recorded_waits *t, struct tk_dict *dict);

/* Does the capture tell that a timer waits? */
bool tk_recorded_waits_has(const struct tk_recorded_waits *t, uint32_t timer);

void tk_recorded_waits_release(struct tk_recorded_waits *t);

#endif
