/*
 * Work of the timers of a capture: by their names, and where those say nothing by the waits that it recorded.
 */
#ifndef TK_MODEL_EXECUTION_WORK_KIND_H
#define TK_MODEL_EXECUTION_WORK_KIND_H

#include "judge/work.h"
#include "query/context.h"

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

#endif
