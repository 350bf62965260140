/*
 * The collector: a builder without rows whose result is a run of a baseline (baseline.h). It gathers facts
 * and slices like the builder of any table and fills the struct that it is given.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_H
#define TK_COMPARE_COLLECT_COLLECT_H

#include "base/health/health.h"
#include "compare/baseline/baseline.h"
#include "query/builder.h"
#include "tracekit/queries.h"

/* A query whose answer is a run. Set query.select; `run` is borrowed and empty. */
struct tk_collect {
    struct tk_query query; /* first: the builder finds the rest behind it */
    struct tk_base_run *run;
    const struct tk_watch *watch; /* may be NULL; borrowed */
};

/* Sets the query's table. */
void tk_collect_init(struct tk_collect *c, struct tk_base_run *run);

/* To be run with tk_collect.query, and no other. TK_EMATCH where there are no frames. */
extern const struct tk_builder tk_builder_collect;

/* A query for the reasons of the hitches of a run that was collected, of the same selection. `run` is
 * borrowed. */
struct tk_collect_hitches {
    struct tk_query query;
    struct tk_base_run *run;
    size_t next;     /* frame of the run from which the next hitch is looked for */
    uint64_t last;   /* frame of the last row */
    bool any, taken; /* taken: the last one is a hitch of the run */
};

void tk_collect_hitches_init(struct tk_collect_hitches *h, struct tk_base_run *run,
                             const struct tk_selection *select);

/* Takes the rows of the answer. Lives as long as h. */
struct tk_sink tk_collect_hitches_sink(struct tk_collect_hitches *h);

/* A query for how many frames were bounded by what: "game 12,limiter 588", as runs say it by the key bound.
 * The greatest frames of the run's timers come with the same reading. `run` is borrowed. */
struct tk_collect_bound {
    struct tk_query query;
    struct tk_base_run *run;
    char text[400];
    size_t n;
};

void tk_collect_bound_init(struct tk_collect_bound *b, struct tk_base_run *run,
                           const struct tk_selection *select);

/* To be run with tk_collect_bound.query, and no other: it sends no rows. */
extern const struct tk_builder tk_builder_greatest;

/* Takes the rows of the answer. Lives as long as b. */
struct tk_sink tk_collect_bound_sink(struct tk_collect_bound *b);

/* Adds an entry to the faults of the run for each kind of damage and lost events, and where the capture is
 * cut off. To be called when all is read. 0, or -1 if out of memory. */
int tk_collect_faults(struct tk_base_run *run, const struct tk_health *health, bool cut_off);

#endif
