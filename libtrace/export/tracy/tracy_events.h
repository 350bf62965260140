/*
 * What a .tracy holds alongside a timeline: locks, memory, stack samples, times on cores, and the callstacks
 * of all of them. A builder gathers it of facts, alongside the tables of the reading; tracy_back.c writes it.
 *
 *     rc = tk_ts_events_new(&e, NULL, &err);
 *     const struct tk_builder builder = tk_ts_events_builder(e);
 *     ... a reading
 *     tk_tracy_sink_events(sink, e);     it owns them from then on
 */
#ifndef TK_EXPORT_TRACY_TRACY_EVENTS_H
#define TK_EXPORT_TRACY_TRACY_EVENTS_H

#include "base/text/intern.h"
#include "io/scratch/spill.h"
#include "model/code/callstack_list.h"
#include "model/code/code_map.h"
#include "model/memory/live_blocks.h"
#include "model/threads/switch_list.h"
#include "query/builder.h"
#include "table/timeline.h"

/*
 * Locks of a .tracy: who requested them, got them and gave them back, gathered of facts and put as Tracy
 * wants it. A part of tracy_events.h.
 */

enum {
    TK_TS_LOCKS = 1 << 20,
    TK_TS_LOCK_THREADS = 64 /* that a lock of a file can have */
};

struct tk_ts_lock_event {
    int64_t time;       /* ns */
    uint8_t slot, kind; /* in the lock's threads; of tracy-file 5.7 */
};

struct tk_ts_lock {
    uint64_t id;
    const struct tk_str *name; /* NULL: not known */
    bool shared;
    uint32_t n_threads;
    uint32_t threads[TK_TS_LOCK_THREADS]; /* numbers of the capture */
    struct tk_spill_column events;
};

/* Zero-initialise, open, and release. */
struct tk_ts_locks {
    TK_VEC(struct tk_ts_lock *) v; /* owned */
    struct tk_map place_of;        /* by a hash of id and name */
    struct tk_external_sort *steps;
    uint64_t order;
    uint64_t left_out; /* steps of locks or threads that a file has no space for */
};

int tk_ts_locks_open(struct tk_ts_locks *l, const char *scratch, struct tk_err *err);
void tk_ts_locks_release(struct tk_ts_locks *l);

/* Takes a TK_FACT_LOCK of a selected thread and time, which is `time` in nanoseconds. Names are interned.
 * TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_ts_locks_take(struct tk_ts_locks *l, const struct tk_fact *fact, int64_t time, struct tk_intern *texts,
                     struct tk_spill_columns *columns, struct tk_err *err);

/* Puts the steps of each lock in order of time, when all are taken. */
int tk_ts_locks_settle(struct tk_ts_locks *l, struct tk_spill_columns *columns, struct tk_err *err);

enum {
    TK_TS_CORES = 256,
    TK_TS_STACKS = (1 << 24) - 2, /* callstacks that a file can have */
    TK_TS_PLACES_OF_FRAME = 255
};

/* An allocation. Callstacks are ids of the capture, threads its numbers. */
struct tk_ts_alloc {
    uint64_t address, size;
    int64_t time, freed; /* ns; freed < 0: never */
    uint32_t stack, free_stack, thread, free_thread;
};

struct tk_ts_pool {
    uint32_t heap;
    const struct tk_str *name; /* NULL: the default pool */
    struct tk_spill_column allocs;
    uint64_t frees, high, low, used;
};

struct tk_ts_sample {
    int64_t time;
    uint64_t stack;
    uint32_t thread; /* place in systems */
};

struct tk_ts_run {
    int64_t start, end;
    uint32_t core, thread; /* thread: likewise; of cores its number among those that are selected */
};

/* Of the operating system. */
struct tk_ts_system {
    uint64_t system_id, process_id; /* process_id: where has_process */
    uint32_t thread;                /* of the capture, or TK_NO_THREAD */
    const struct tk_str *name;      /* NULL: not known */
    bool selected, has_process;
    uint32_t number; /* among those that are selected */
    struct tk_spill_column samples, runs;
};

/* Of the capture: those that are selected, and those of memory. */
struct tk_ts_thread {
    uint32_t number;
    uint64_t system_id;
    const struct tk_str *name;
};

/* A frame of callstacks. */
struct tk_ts_frame {
    uint64_t address;
    const struct tk_str *image; /* NULL: not known */
    uint32_t first, n;          /* of its places */
};

struct tk_ts_frame_place {
    const struct tk_str *function, *file; /* NULL: not known */
    uint32_t line;
    uint64_t symbol;
};

/* A function, by an address that is its alone. */
struct tk_ts_symbol {
    uint64_t address;
    const struct tk_str *function, *file, *image;
    uint32_t line;
};

struct tk_ts_events {
    const struct tk_query_context *view; /* during the reading */
    struct tk_spill_columns *columns;
    struct tk_intern texts; /* what stays of names */
    uint32_t version;       /* of the .tracy that was read; 0: it is none */
    int64_t last_time;
    bool whole;     /* all of a .tracy, which ended at last_time */
    int64_t period; /* ns between samples; 0: not known */

    struct tk_ts_locks locks;

    /* memory */
    TK_VEC(struct tk_ts_pool *) pools; /* owned */
    struct tk_map pool_of;             /* heap -> place */
    struct tk_live_blocks alive;       /* by address and pool; index: 1 + that of the allocation */
    TK_VEC(struct tk_fact) held;       /* steps before the clock of memory began */
    bool clocked;
    TK_VEC(struct tk_ts_thread) threads; /* by number, at the end */
    struct tk_map thread_of;             /* number -> place */

    /* threads of the system */
    struct tk_system_threads found;
    struct tk_external_sort *samples, *runs;
    TK_VEC(struct tk_ts_system) systems;
    uint32_t n_selected; /* of them */
    struct tk_spill_column cores[TK_TS_CORES];

    /* code */
    struct tk_callstack_list stacks;
    struct tk_code_map code;
    uint64_t own_stacks; /* samples that brought their addresses: ids from OWN on */
    TK_VEC(struct tk_ts_frame) frames;
    TK_VEC(struct tk_ts_frame_place) places;
    TK_VEC(struct tk_ts_symbol) symbols;
    struct tk_map symbol_of, symbol_at; /* by function, file and image; by address */
};

/* scratch: as of tk_tracy_sink_open. TK_OK, TK_EOUTPUT, TK_ENOMEM; *out is to be freed in any case. */
int tk_ts_events_new(struct tk_ts_events **out, const char *scratch, struct tk_err *err);
void tk_ts_events_free(struct tk_ts_events *e);

struct tk_builder tk_ts_events_builder(struct tk_ts_events *e);

/* Number of a callstack in the file, from 1; 0: none, or it is not defined. */
uint32_t tk_ts_stack_number(const struct tk_ts_events *e, uint64_t id);

/* Finds out the functions of all callstacks, when all is read (tracy_code.c). 0, or -1 without memory. */
int tk_ts_code_settle(struct tk_ts_events *e);

/* A time in ns, which counts for the last one. */
static inline int64_t tk_ts_ns(struct tk_ts_events *e, int64_t cycles)
{
    const int64_t ns = tk_clock_time(&e->view->dict->clock, TK_UNIT_NS, cycles);
    e->last_time = ns > e->last_time ? ns : e->last_time;
    return ns;
}

/* Memory (tracy_allocs.c): a step, a heap; and what was held back until the clock began, at a time. 0, or -1
 * without memory or disk. */
int tk_ts_take_memory(struct tk_ts_events *e, const struct tk_fact *fact);
int tk_ts_take_heap(struct tk_ts_events *e, const struct tk_fact_memory_heap *heap);
int tk_ts_play_held(struct tk_ts_events *e, int64_t time);

/* The capture's thread of a number is needed. 0, or -1 without memory. */
int tk_ts_note_thread(struct tk_ts_events *e, uint32_t number);

/* When all is read (tracy_settle.c). TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_ts_events_settle(struct tk_ts_events *e, struct tk_err *err);

/*
 * A timeline as a .tracy: threads become threads with zones, queues contexts of the GPU, counters plots,
 * marks messages, frames and regions frame sets. export_timeline.c feeds it.
 *
 *     rc = tk_tracy_sink_open(&t, "out.tracy", force, NULL, &err);
 *     struct tk_timeline_sink sink = tk_tracy_sink(t);
 *     ... the timeline, finish included
 *     rc = rc == TK_OK ? tk_tracy_sink_commit(t, &about, &err) : rc;
 *     tk_tracy_sink_close(t);
 */

struct tk_tracy_sink;

/* What the file says of the capture alongside the timeline. Borrowed. */
struct tk_tracy_about {
    const char *name;    /* of the capture, as a file */
    const char *program; /* "" where it is not known */
};

/* Begins the output; scratch is the folder of temporary files (NULL: TMPDIR, else /tmp). TK_OK, TK_EOUTPUT,
 * TK_ENOMEM. */
int tk_tracy_sink_open(struct tk_tracy_sink **out, const char *path, bool force, const char *scratch,
                       struct tk_err *err);

struct tk_timeline_sink tk_tracy_sink(struct tk_tracy_sink *t);

/* Gives it what was gathered alongside the timeline (tracy_events.h), which it owns from then on. */
struct tk_ts_events;
void tk_tracy_sink_events(struct tk_tracy_sink *t, struct tk_ts_events *events);

/* Writes the file and gives it its name. */
int tk_tracy_sink_commit(struct tk_tracy_sink *t, const struct tk_tracy_about *about, struct tk_err *err);

/* Steps of locks that were left out when it was written, for a .tracy has space for so many locks and so many
 * threads of each. Alongside them arrows between threads, and names of zones of the GPU beyond their
 * locations, have no place in any. */
uint64_t tk_tracy_sink_left_out(const struct tk_tracy_sink *t);

/* Zones of the GPU whose text, or own name where the file has no location left for it, has no place in it. */
uint64_t tk_tracy_sink_bare(const struct tk_tracy_sink *t);

/* Once it was written: messages with a severity that the version of the file cannot hold, or with a
 * category or place in the code, which none has. */
uint64_t tk_tracy_sink_bare_messages(const struct tk_tracy_sink *t);

/* NULL is allowed; what is not committed is thrown away. */
void tk_tracy_sink_close(struct tk_tracy_sink *t);

#endif
