/*
 * Collecting memory: what allocations of each tag had alive at most, and at the end. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_MEMORY_H
#define TK_COMPARE_COLLECT_MEMORY_H

#include "compare/baseline.h"
#include "model/memory_model.h"
#include "model/memory_names.h"

#define TK_COLLECT_MEMORY_FACTS (TK_MEMORY_FACTS | TK_FACT_MASK(MEMORY_TAG))

struct tk_collect_memory {
    struct tk_base_run *run; /* borrowed */
    struct tk_memory model;
    struct tk_memory_names names;
    int64_t from; /* cycles since the start: growth counts from here */
    bool started, reached;
    TK_VEC(uint64_t) then; /* bytes alive of each group when it was reached */
};

/* Must stay where it is. `from`: when the first frame began. */
void tk_collect_memory_init(struct tk_collect_memory *m, const struct tk_view *view, struct tk_base_run *run,
                            int64_t from);
int tk_collect_memory_feed(struct tk_collect_memory *m, const struct tk_batch *batch, struct tk_err *err);

/* Makes the series: one a tag and root heap, named by the tag, of group "allocations" or the name of the
 * heap; and "all allocations", of group "". `first` is what was alive at the first frame. */
int tk_collect_memory_finish(struct tk_collect_memory *m, struct tk_err *err);
void tk_collect_memory_release(struct tk_collect_memory *m);

#endif
