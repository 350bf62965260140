/*
 * Memory of a run being collected: the peak and the final size of live allocations of each tag. Part of
 * collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_MEMORY_H
#define TK_COMPARE_COLLECT_COLLECT_MEMORY_H

#include "compare/collect/collect_frames.h"
#include "model/memory/memory_model.h"
#include "model/memory/memory_names.h"

#define TK_COLLECT_MEMORY_FACTS (TK_MEMORY_FACTS | TK_FACT_MASK(MEMORY_TAG))

/* Moments of a block at which is looked what is alive. */
#define TK_MEMORY_LOOKS 8u

struct tk_collect_memory {
    struct tk_base_run *run; /* borrowed, as frames */
    const struct tk_collect_frames *frames;
    struct tk_memory model;
    struct tk_memory_names names;
    int64_t
        until; /* cycles since the start: the first frame begins, then a frame ends behind which is looked */
    size_t frame;    /* that one; of the run */
    uint32_t *looks; /* owned; by block: how often was looked */
    bool started, reached;
    bool watched;           /* the frames of peaks are wanted */
    TK_VEC(double *) alive; /* owned; by group: sums of bytes alive, by block */
    TK_VEC(uint64_t) then;  /* bytes alive of each group when it was reached */
};

/* Must stay where it is. 0, or -1 if out of memory; to be released also then. */
int tk_collect_memory_init(struct tk_collect_memory *m, const struct tk_query_context *view,
                           const struct tk_collect_frames *frames, const struct tk_watch *watch);
int tk_collect_memory_feed(struct tk_collect_memory *m, const struct tk_batch *batch, struct tk_err *err);

/* Makes the series: one a tag and root heap, named by the tag, of group "allocations" or the name of the
 * heap; and "all allocations", of group "". `first` is what was alive at the first frame; values of blocks
 * are what was alive behind some of their frames. */
int tk_collect_memory_finish(struct tk_collect_memory *m, struct tk_emit *emit, struct tk_err *err);
void tk_collect_memory_release(struct tk_collect_memory *m);

#endif
