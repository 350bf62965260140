/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_ENGINE_ENGINE_IN_H
#define TK_ENGINE_ENGINE_IN_H

#include "engine/run.h"
#include "fact/fact.h"
#include "fact/format.h"
#include "query/context.h"
#include "query/emit.h"

/*
 * Reading: one way through a capture that answers some of the tables of a run.
 */

/* A table of a run. */
struct tk_run_table {
    const struct tk_builder *builder; /* borrowed */
    struct tk_emit *emit;             /* owned */
    bool along;                       /* nobody requested it: its rows go nowhere */
    struct tk_needs needs;            /* for this query */
    unsigned lanes;                   /* whose scopes: bit k for those of kind k (enum tk_lane_kind) */
    void *self;                       /* state of the builder while a reading is under way */
};

struct tk_run {
    struct tk_query_context view;
    struct tk_run_table *tables; /* owned, n */
    size_t n;
    struct tk_query along; /* the query of tables that nobody requested */
    struct tk_prescan scan;
    struct tk_select select;
    struct tk_select whole; /* the same without times, for who looks at all of the capture */
    bool selected;          /* the times of the query are compiled into select */
    struct tk_dict nothing; /* for the view while nothing is read */
};

/* Does a table look at all of the capture while times are selected? Such tables are read apart from others.
 */
bool tk_run_all_time(const struct tk_run *run, size_t table);

/* Reads once for tables first .. end - 1 and sends them. Only the first of them may be one that streams,
 * unless the query lets rows mix. As tk_run. */
int tk_reading_run(struct tk_run *run, size_t first, size_t end, struct tk_err *err);

/* Compiles the times of the query into `select`, unless that was done. The clock is among what captures
 * define: it is read where nothing has been. TK_OK or what reading or compiling says. */
int tk_run_compile(struct tk_run *run, struct tk_err *err);

/* What tables that are read together ask of a source; rows of the format's own and threads are not in it.
 * closed is for scopes that may come closed. timed: times are
 * selected. */
struct tk_request tk_reading_request(const struct tk_query *query, bool timed, bool ends,
                                     const struct tk_run_table *tables, size_t n,
                                     const struct tk_closed_taker *closed);

/*
 * What a reading learns of each batch before its tables are given it: times, threads, and the names of
 * events. Private to capture_reading.c.
 */

struct tk_seen {
    struct tk_query_context *view;        /* borrowed; its first and last time are kept up to date */
    struct tk_dict *dict;                 /* borrowed; gets the threads that nobody defined */
    uint32_t thread;                      /* the last one that was made known; TK_NO_THREAD: none yet */
    TK_VEC(struct tk_scope_run) runs;     /* of the batch, where queues are left out of it */
    TK_VEC(const struct tk_str *) events; /* names of those there are, where there are patterns for them */
};

/* Something lies at `first` to `last` cycles: the times of the view reach as far, at least. */
void tk_seen_times(struct tk_query_context *view, int64_t first, int64_t last);

/* Looks at a batch. TK_OK or TK_ENOMEM. */
int tk_seen_facts(struct tk_seen *seen, const struct tk_batch *batch, struct tk_err *err);

/* Makes *out the batch without the scopes of queues that are not selected, as sources do for threads. It
 * borrows from both, until the next call. TK_OK or TK_ENOMEM. */
int tk_seen_select(struct tk_seen *seen, const struct tk_batch *batch, struct tk_batch *out,
                   struct tk_err *err);

/* Frees what it holds, not what it borrows. */
void tk_seen_release(struct tk_seen *seen);

#endif
