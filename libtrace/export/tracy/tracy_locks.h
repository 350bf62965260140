/*
 * Locks of a .tracy: who asked for them, got them and gave them back, gathered of facts and put as Tracy
 * wants it. A part of tracy_events.h.
 */
#ifndef TK_EXPORT_TRACY_FILE_TRACY_LOCKS_H
#define TK_EXPORT_TRACY_FILE_TRACY_LOCKS_H

#include "base/text/intern.h"
#include "io/scratch/external_sort.h"
#include "io/scratch/spill_column.h"
#include "query/builder.h"

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
    uint64_t left_out; /* steps of locks or threads that a file has no room for */
};

int tk_ts_locks_open(struct tk_ts_locks *l, const char *scratch, struct tk_err *err);
void tk_ts_locks_release(struct tk_ts_locks *l);

/* Takes a TK_FACT_LOCK of a selected thread and time, which is `time` in nanoseconds. Names are interned.
 * TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_ts_locks_take(struct tk_ts_locks *l, const struct tk_fact *fact, int64_t time, struct tk_intern *texts,
                     struct tk_spill_columns *columns, struct tk_err *err);

/* Puts the steps of each lock in order of time, when all are taken. */
int tk_ts_locks_settle(struct tk_ts_locks *l, struct tk_spill_columns *columns, struct tk_err *err);

#endif
