/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_MODEL_SAMPLES_SAMPLES_IN_H
#define TK_MODEL_SAMPLES_SAMPLES_IN_H

#include "model/code/callstack_list.h"
#include "model/code/code_map.h"
#include "model/samples/sample_stacks.h"
#include "model/threads/switch_list.h"
#include "query/collector.h"

/*
 * Stack samples as a list, with the addresses that they bring along or refer to: what tables of every sample
 * and of places are made of.
 */

struct tk_listed_sample {
    int64_t time;
    uint32_t thread; /* place in threads */
    uint32_t depth;
    uint32_t n;         /* addresses that are kept */
    uint64_t first;     /* of them; where only the innermost are kept, that itself; else of no meaning */
    uint32_t callstack; /* id of the callstack that has them; 0: they came along */
    uint64_t weight;    /* how many it stands for */
};

struct tk_sample_list {
    struct tk_collector g;
    bool whole; /* keeps all addresses, not only the innermost */
    struct tk_system_threads threads;
    struct tk_code_map code;
    TK_VEC(struct tk_listed_sample) v;
    TK_VEC(uint64_t) addresses; /* where all are kept */
    uint64_t kept;              /* addresses of all samples */
    struct tk_callstack_list callstacks;
    uint64_t cut;
};

#define TK_SAMPLE_LIST_FACTS                                                                                 \
    (TK_FACT_MASK(SAMPLE) | TK_FACT_MASK(CALLSTACK) | TK_CODE_MAP_FACTS | TK_SYSTEM_THREAD_FACTS)

/* As of a collector (tk_collecting); `self` is the list, with `whole` set before it starts. */
int tk_sample_list_start(void *self);
int tk_sample_list_take(void *self, const struct tk_fact *fact);
int tk_sample_list_settle(void *self);
void tk_sample_list_release(void *self);

/* What is kept of the addresses of a sample, innermost first; NULL without any. */
const uint64_t *tk_sample_list_addresses(const struct tk_sample_list *s,
                                         const struct tk_listed_sample *sample, uint32_t *n);

/* Addresses of its stack, whether they are kept or not. */
uint32_t tk_sample_list_depth(const struct tk_sample_list *s, const struct tk_listed_sample *sample);

/* Is the thread, by its place, one of those that are requested? */
bool tk_sample_list_selected(const struct tk_sample_list *s, uint32_t thread);

/* Address, module, offset and function. Modules are those of the process that was recorded, as are threads
 * that it defines. */
void tk_sample_list_fill_address(const struct tk_sample_list *s, uint32_t thread, uint64_t address,
                                 struct tk_cell cells[4]);

/*
 * Samples and context switches together: for how long threads ran in the stacks that they were sampled in,
 * how often and how long they waited there, and how often they were in them first after time off the cores.
 * Tables of samples by function add these up.
 *
 * A run is a stretch of time that a thread is on cores. Samples share out the run that they fall into: each
 * has the time up to the next one, the first also what lies before it. The wait behind a run belongs to its
 * last sample, the wake-up in front of it to its first. Runs without a sample tell nothing. Samples that are
 * not selected take part, so that the times of parts of a capture add up to those of the whole; where timers
 * are selected, calls outside of the selection decide about them.
 */

/* Selected cycles, and waits and wake-ups that begin at a selected time. */
struct tk_sample_run_times {
    uint64_t running, waiting, waits, wakeups;
};

/* Those of each stack of `s`, all of whose samples were kept with their times: v[i] of the stack i, to be
 * freed. NULL: out of memory. The list is finished. */
struct tk_sample_run_times *tk_sample_runs(const struct tk_sample_stacks *s,
                                           const struct tk_switch_list *list);

#endif
