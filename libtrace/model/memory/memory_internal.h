/*
 * The parts of the memory model: memory_model.c takes facts, threads and times, memory_steps.c plays a step,
 * memory_sums.c says what it does to the sums of groups. Private to these.
 */
#ifndef TK_MODEL_MEMORY_MEMORY_INTERNAL_H
#define TK_MODEL_MEMORY_MEMORY_INTERNAL_H

#include "model/memory/memory_model.h"

/* A step of a thread at a time. 0, or -1 if out of memory. */
int tk_memory_step(struct tk_memory *m, struct tk_memory_thread *t, const struct tk_fact_memory *f,
                   int64_t time);

/* From now on all happens at this time: is it selected? 0 or -1. */
int tk_memory_time(struct tk_memory *m, int64_t time);

/* Nothing happens before `time` any more: what is alive now is alive where selected times begin until then.
 */
void tk_memory_see_ranges(struct tk_memory *m, int64_t time);

/* What is alive now is what is alive at the start of the selected time, or where it ends for good. */
void tk_memory_begin_ends(struct tk_memory *m);
void tk_memory_end_ends(struct tk_memory *m);

/* A block becomes one of those that are alive in its groups, or is one no longer, without being allocated or
 * freed: in the flow, but in no count. 0 or -1. */
int tk_memory_enter(struct tk_memory *m, const struct tk_block *b);
int tk_memory_leave(struct tk_memory *m, const struct tk_block *b);

/* The same for one that is allocated or freed. 0 or -1. */
int tk_memory_enter_new(struct tk_memory *m, const struct tk_block *b, bool realloc);
int tk_memory_leave_freed(struct tk_memory *m, const struct tk_block *b, bool realloc);

/* Counts a free of what is not alive. 0 or -1. */
int tk_memory_unknown(struct tk_memory *m, uint32_t heap);

/* The moment asked for has come: what is alive now is what was asked about. 0 or -1. */
int tk_memory_reach(struct tk_memory *m);

#endif
