/*
 * Threads of the operating system: who they are to the capture. The system uses its own numbers; the capture
 * defines some of them as its threads, and may name threads of other processes.
 *
 * Numbers can be used again, and no fact ends one: the thread that was defined last has it.
 */
#ifndef TK_MODEL_EXECUTION_SYSTEM_THREADS_H
#define TK_MODEL_EXECUTION_SYSTEM_THREADS_H

#include "query/context.h"

#define TK_SYSTEM_THREAD_FACTS TK_FACT_MASK(SYSTEM_THREAD)

struct tk_system_thread {
    uint64_t system_id;
    uint64_t process_id;       /* where has_process */
    const struct tk_str *name; /* that the system told; NULL: none */
    uint32_t thread;           /* of the capture, set by tk_system_threads_resolve; TK_NO_THREAD: none */
    bool has_process;
};

/* Zero-initialise to begin. */
struct tk_system_threads {
    TK_VEC(struct tk_system_thread) v; /* in order of first appearance */
    struct tk_map index;               /* system id -> place */
};

/* The place of a system id, made on first use; TK_MAP_NONE if out of memory. */
uint32_t tk_system_thread_of(struct tk_system_threads *s, uint64_t system_id);

/* Takes a fact; ignores others than SYSTEM_THREAD. 0, or -1 if out of memory. */
int tk_system_threads_feed(struct tk_system_threads *s, const struct tk_fact *fact);

/* Finds out which are threads of the capture. When all is read. */
void tk_system_threads_resolve(struct tk_system_threads *s, const struct tk_dict *dict);

/* The name to show: that of the capture's thread, else that the system told, else NULL. */
const struct tk_str *tk_system_thread_name(const struct tk_system_thread *t, const struct tk_dict *dict);

/* Is it selected? One that is no thread of the capture is when there is no choice of threads. */
bool tk_system_thread_selected(const struct tk_system_thread *t, const struct tk_query_context *view);

/* Cells system_id, thread_id, thread, process_id, in this order. */
#define TK_SYSTEM_THREAD_CELLS 4
void tk_system_thread_fill(const struct tk_system_thread *t, const struct tk_query_context *view,
                           struct tk_cell *cells);

void tk_system_threads_release(struct tk_system_threads *s);

#endif
