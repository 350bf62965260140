/*
 * Switch list: all times that threads of the operating system ran on a core, in order of start. They
 * come in any order, so all of them are held (limit `switches`), packed.
 */
#ifndef TK_MODEL_THREADS_SWITCH_LIST_H
#define TK_MODEL_THREADS_SWITCH_LIST_H

#include "query/context.h"

/*
 * Threads of the operating system: who they are to the capture. The system uses its own numbers; the capture
 * defines some of them as its threads, and may name threads of other processes.
 *
 * Numbers can be used again, and no fact ends one: the thread that was defined last has it.
 */

#define TK_SYSTEM_THREAD_FACTS TK_FACT_MASK(SYSTEM_THREAD)

struct tk_system_thread {
    uint64_t system_id;
    uint64_t process_id;       /* where has_process */
    const struct tk_str *name; /* that the system reported; NULL: none */
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

/* The name to show: that of the capture's thread, else that the system reported, else NULL. */
const struct tk_str *tk_system_thread_name(const struct tk_system_thread *t, const struct tk_dict *dict);

/* Is it selected? One that is no thread of the capture is when there is no choice of threads. */
bool tk_system_thread_selected(const struct tk_system_thread *t, const struct tk_query_context *view);

/* Cells system_id, thread_id, those of the thread, in this order. */
#define TK_SYSTEM_THREAD_CELLS (3 + TK_THREAD_COLUMNS)
void tk_system_thread_fill(const struct tk_system_thread *t, const struct tk_query_context *view,
                           struct tk_cell *cells);

void tk_system_threads_release(struct tk_system_threads *s);

#define TK_SWITCH_FACTS (TK_FACT_MASK(SWITCH) | TK_SYSTEM_THREAD_FACTS)

struct tk_switch {
    int64_t begin, end; /* cycles since the start; begin <= end */
    int64_t wake;       /* when it was woken before; TK_NOT_WOKEN: that is not recorded */
    uint32_t thread;    /* place in threads */
    uint32_t core;
    uint32_t waker_core;
    uint8_t end_state; /* enum tk_run_end */
};

#define TK_NOT_WOKEN INT64_MIN

/* The letters of Linux for how it ended; an empty cell where that is not known. */
struct tk_cell tk_switch_end_cell(const struct tk_switch *s);

/* Switches in order, packed one behind the other. */
struct tk_switch_chunk {
    int64_t first; /* begin of the first one */
    uint32_t n;
    uint8_t *bytes; /* owned */
};

struct tk_switch_list {
    struct tk_health *health; /* borrowed */
    uint64_t limit;
    struct tk_system_threads threads;
    TK_VEC(struct tk_switch) fresh;        /* that are in no chunk yet */
    TK_VEC(struct tk_switch_chunk) chunks; /* when it is finished, in order */
    uint64_t n;                            /* switches */
    int64_t from, to; /* the least begin and the greatest end; both 0 where there are none */
    uint64_t left_out, backwards;
};

/* The context is borrowed. */
void tk_switch_list_init(struct tk_switch_list *list, struct tk_context *ctx);

/* Takes a fact; ignores others than TK_SWITCH_FACTS. 0, or -1 if out of memory. */
int tk_switch_list_feed(struct tk_switch_list *list, const struct tk_fact *fact);

/* Puts all in order, finds out who the threads are, notes what was wrong. 0, or -1 if out of memory. */
int tk_switch_list_finish(struct tk_switch_list *list, const struct tk_dict *dict);

void tk_switch_list_release(struct tk_switch_list *list);

/* Goes through a list that is finished. */
struct tk_switch_reading {
    const struct tk_switch_list *list; /* borrowed */
    size_t chunk;                      /* of the next one */
    uint32_t at;                       /* in that */
    const uint8_t *p;
    struct tk_switch now;
};

/* So many switches before those of a time are read, too, at least: they may still go on then. */
#define TK_SWITCHES_BEFORE 4096u

/* From the first switch on; or from those on that begin at a time, and TK_SWITCHES_BEFORE before them. */
struct tk_switch_reading tk_switches_from_first(const struct tk_switch_list *list);
struct tk_switch_reading tk_switches_around(const struct tk_switch_list *list, int64_t time);

/* The next one, borrowed until the call after; NULL: there is none. */
const struct tk_switch *tk_switches_next(struct tk_switch_reading *r);

/*
 * Running: when threads of the capture were on a core, for how much of a scope its thread really ran.
 */

struct tk_core_times_thread;

/* Zero-initialise to begin. */
struct tk_core_times {
    const struct tk_select *select; /* borrowed */
    struct tk_map index;            /* thread -> place */
    TK_VEC(struct tk_core_times_thread) threads;
};

/* Takes over the runs of all threads of the capture from a finished list. What is selected is compiled then.
 * 0, or -1 if out of memory. */
int tk_core_times_build(struct tk_core_times *r, const struct tk_switch_list *list,
                        const struct tk_select *select);

/* Is anything known of a thread? */
bool tk_core_times_knows(const struct tk_core_times *r, uint32_t thread);

/* Cycles that a thread ran between two times, as far as they are selected. */
uint64_t tk_core_times_between(const struct tk_core_times *r, uint32_t thread, int64_t begin, int64_t end);

void tk_core_times_release(struct tk_core_times *r);

#endif
