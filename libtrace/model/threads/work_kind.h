/*
 * Work: what kind of work a timer does, by its name. The patterns are data: schemas/work.txt, which is
 * compiled in, or what the query brings instead.
 */
#ifndef TK_MODEL_EXECUTION_WORK_KIND_H
#define TK_MODEL_EXECUTION_WORK_KIND_H

#include "query/context.h"

enum tk_work {
    TK_WORK_OWN,
    TK_WORK_WAIT,
    TK_WORK_GC,
    TK_WORK_LOADING,
    TK_WORK_SHADER,
    TK_WORK_IO,
    TK_WORK_KINDS
};

/* "own", "wait", "gc", "loading", "shader", "io". Static. */
const char *tk_work_name(enum tk_work work);

struct tk_work_rule {
    const char *pattern; /* in the text */
    size_t n;
    uint32_t letters; /* what a name must have to fit: a bit for each letter */
    uint8_t work;     /* enum tk_work */
};

/* Zero-initialise to begin. */
struct tk_work_rules {
    TK_VEC(struct tk_work_rule) v;
    const struct tk_recorded_waits *reported; /* borrowed; NULL: the capture says nothing */
    TK_VEC(uint8_t) known;                    /* by timer id: 1 + enum tk_work; 0: not queried yet */
    size_t learned;                           /* timers that tk_work_learn looked at */
};

/* Reads the rules of the query (borrowed), or those that are compiled in. TK_OK, TK_ENOMEM, or TK_EUSAGE with
 * the line that is none. */
int tk_work_rules_read(struct tk_work_rules *rules, const struct tk_query_context *view, struct tk_err *err);

/* The same of rules in a text, or without a query of those that are compiled in (NULL); the text is borrowed.
 */
int tk_work_rules_parse(struct tk_work_rules *rules, const char *text, struct tk_err *err);

/* The work of the first rule that matches a name; TK_WORK_KINDS: none does. */
enum tk_work tk_work_of_name(const struct tk_work_rules *rules, const char *name, size_t n);

/* The work of a timer of the dictionary, by the first rule that matches its name; where none does, waiting if
 * the capture says so. To be queried when all is read. */
enum tk_work tk_work_of(struct tk_work_rules *rules, const struct tk_timer *timer);

/* Learns of the timers that the dictionary knows by now what cannot change any more; while facts are fed. 0,
 * or -1 without memory. */
int tk_work_learn(struct tk_work_rules *rules, const struct tk_dict *dict);

/* Is it known by now that a timer does not wait? Workers may ask. */
static inline bool tk_work_never_waits(const struct tk_work_rules *rules, uint32_t timer)
{
    return timer < rules->known.n && rules->known.v[timer] && rules->known.v[timer] != 1 + TK_WORK_WAIT;
}

void tk_work_rules_release(struct tk_work_rules *rules);

#endif
