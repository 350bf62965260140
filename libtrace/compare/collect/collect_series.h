/*
 * Series of timers of a run being collected: timers with the same name, kind and file on the threads of a
 * class become one series. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_SERIES_H
#define TK_COMPARE_COLLECT_COLLECT_SERIES_H

#include "base/hash.h"
#include "compare/collect/collect_calls.h"
#include "query/dict.h"

/* Whose calls are summed up together: threads of a class, or a queue of a GPU. */
struct tk_collect_class {
    uint8_t kind;                   /* enum tk_lane_kind */
    uint32_t queue;                 /* of a GPU */
    const struct tk_str *name;      /* of threads; of the names of the run */
    size_t lanes;                   /* so far */
    struct tk_collect_calls *calls; /* owned; as many as workers: one a lane, or where there are more of
                                       these, one a worker */
    struct tk_map series;           /* timer -> index of its series in the run */
};

struct tk_collect_series {
    struct tk_base_run *run; /* borrowed */
    struct tk_dict *dict;    /* borrowed; all is read */
    struct tk_map index;     /* what a series is -> index in the run */
};

/* Makes series of the calls of a class, and forgets these. Each has the line of the first of its timers. 0,
 * or -1 if out of memory. */
int tk_collect_series_add(struct tk_collect_series *s, struct tk_collect_class *class, unsigned workers);

/* The series of a timer on a class, with its index in *out: 1; 0 where none of its scopes has ended; -1 if
 * out of memory. */
int tk_collect_series_find(struct tk_collect_series *s, struct tk_collect_class *class, uint32_t timer,
                           uint32_t *out);

/* All classes were added: puts the single calls of each series in order. */
void tk_collect_series_settle(struct tk_base_run *run);

void tk_collect_series_release(struct tk_collect_series *s);

#endif
