/*
 * Loading times of a run being collected: in all, by operation and by package. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_LOADING_H
#define TK_COMPARE_COLLECT_COLLECT_LOADING_H

#include "base/hash.h"
#include "compare/baseline/baseline.h"
#include "query/context.h"

#define TK_COLLECT_LOADING_FACTS (TK_FACT_MASK(PACKAGE) | TK_FACT_MASK(LOAD_STEP))

/* Packages that have a series: those that took the longest. */
#define TK_LOADING_PACKAGES 256u

struct tk_loading_sum {
    uint32_t package;
    const struct tk_str *name; /* of the run; NULL: not told */
    uint64_t count;
    int64_t own;
    uint64_t most;
};

struct tk_collect_loading {
    const struct tk_query_context *view; /* borrowed, as the next */
    struct tk_base_run *run;
    TK_VEC(struct tk_loading_sum) packages;
    struct tk_map index; /* id of the package -> place */
    struct tk_loading_sum operations[TK_LOAD_OPS];
    uint64_t left_out; /* steps of packages beyond the limit on rows */
};

void tk_collect_loading_init(struct tk_collect_loading *l, const struct tk_query_context *view,
                             struct tk_base_run *run);
int tk_collect_loading_feed(struct tk_collect_loading *l, const struct tk_batch *batch, struct tk_err *err);

/* Makes the series: "loading" of everything, of group "" ; operations of group "operation"; packages of group
 * "package". Own time is that of the steps without those inside them. */
int tk_collect_loading_finish(struct tk_collect_loading *l, struct tk_err *err);
void tk_collect_loading_release(struct tk_collect_loading *l);

#endif
