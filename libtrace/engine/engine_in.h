/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_ENGINE_ENGINE_IN_H
#define TK_ENGINE_ENGINE_IN_H

#include "base/text/intern.h"
#include "engine/prescan.h"
#include "engine/scope_memory.h"
#include "fact/fact.h"
#include "fact/format.h"
#include "fact/kept.h"
#include "model/scopes/lane_states.h"
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
    struct tk_scope_memory memory; /* what is known of the capture beforehand */
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

/* What tables that are read together ask of a source; rows of the format's own and threads are not in it.
 * closed is for scopes that may come closed. timed: times are
 * selected. */
struct tk_request tk_reading_request(const struct tk_query *query, bool timed, bool ends,
                                     const struct tk_run_table *tables, size_t n,
                                     const struct tk_closed_taker *closed);

/*
 * Facts as bytes, for what is kept between questions (fact/kept.h): frames, regions, bookmarks, stalls, gaps,
 * and the extent of a capture.
 */

/* Those that can be kept, and of them those that readings bring along for it. */
#define TK_KEPT_EXTRA                                                                                        \
    (TK_FACT_MASK(FRAME) | TK_FACT_MASK(REGION) | TK_FACT_MASK(BOOKMARK) | TK_FACT_MASK(STALL) |             \
     TK_FACT_MASK(GAP) | TK_FACT_MASK(LATE_GAP))
#define TK_KEPT_FACTS (TK_KEPT_EXTRA | TK_FACT_MASK(EXTENT))

/* Appends a fact of such a kind. */
void tk_kept_fact_put(struct tk_kept_bytes *b, const struct tk_fact *fact);

/* The next one; its texts are interned in `texts`. TK_OK, TK_ENOMEM; *c has a fault where the bytes are none.
 */
int tk_kept_fact_take(struct tk_cur *c, struct tk_intern *texts, struct tk_fact *out);

/*
 * Recorder: what a whole reading finds out of scopes, as the section that is kept of it (kept/kept_file.h
 * says what is in it and why). scope_memory.h reads it.
 *
 *   facts that are known: a mask | are scopes numbered? | how many facts, facts
 *   points, up to that of the end; of each:
 *     place since the one before | least time of what came since | greatest time of all so far
 *     bytes of the state of the source, state | bytes of the lanes that changed, each with
 *       number, thread, kind, first, last, begun, unmatched, raised, greatest depth,
 *       open scopes that are those of the point before, others: how many, each with begin, number, timer
 */

struct tk_scope_recorder {
    struct tk_context *ctx;                         /* borrowed; NULL: nothing is recorded */
    uint64_t mask;                                  /* kinds of facts that are kept */
    struct tk_kept_bytes facts, points, lane_bytes; /* the latter of the point in the making */
    uint64_t n_facts;
    TK_VEC(struct tk_lane_state) lanes; /* as they were at the last point */
    TK_VEC(uint8_t) changed;            /* by lane: since then */
    struct tk_lane_state now;
    uint64_t place;   /* of the last point */
    int64_t least;    /* since then */
    int64_t greatest; /* of all */
    bool numbers;     /* scopes are numbered */
    bool ended;       /* the point of the end is there */
    bool failed;      /* it cannot be reported, or is too much */
};

/* Begins: facts of these kinds are kept as they come. */
void tk_scope_recorder_begin(struct tk_scope_recorder *r, struct tk_context *ctx, uint64_t mask);

/* A batch comes, before the model has worked off its runs, and after. */
void tk_scope_recorder_before(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                              const struct tk_batch *batch);
void tk_scope_recorder_after(struct tk_scope_recorder *r, const struct tk_scope_model *m,
                             const struct tk_batch *batch);

/* All is read, and nothing else is noted yet: makes the section where no fault was found. */
void tk_scope_recorder_end(struct tk_scope_recorder *r);

void tk_scope_recorder_release(struct tk_scope_recorder *r);

/*
 * What a reading has to do with what is known of the capture (scope_memory.h): it queries its source for
 * less, gives tables what is known already, or records what it finds out. Private to capture_reading.c.
 */

struct tk_known_scopes {
    const struct tk_scope_memory *memory; /* borrowed; NULL: nothing is used */
    uint64_t facts;                       /* of them, what tables are given */
    bool given;                           /* they were */
    struct tk_scope_plan plan;            /* without pieces: all is read */
    bool planned;
    struct tk_scope_recorder recorder;
    uint64_t extra;                   /* facts that are recorded alone */
    TK_VEC(struct tk_fact) own;       /* of a batch, without those */
    TK_VEC(struct tk_scope_run) runs; /* of lanes that are set to a state */
};

/* Looks at what the tables first .. first + n - 1 of a run ask of their source, and changes it. TK_OK,
 * TK_ENOMEM, or what compiling the selection of the run says. *k is to be released either way. */
int tk_known_scopes_ask(struct tk_known_scopes *k, struct tk_run *run, size_t first, size_t n,
                        struct tk_request *request, struct tk_err *err);

/* A batch comes: *own is what tables are to see of it. TK_OK or TK_ENOMEM. */
int tk_known_scopes_see(struct tk_known_scopes *k, const struct tk_scope_model *m,
                        const struct tk_batch *batch, struct tk_batch *own, struct tk_err *err);

/* Facts that are known, once, as a batch to be given to tables. TK_ITEM; TK_OK: there are none, or they were
 * given; TK_ENOMEM. */
int tk_known_scopes_give(struct tk_known_scopes *k, struct tk_batch *batch, struct tk_err *err);

/* Lanes of selected threads that are known where a batch begins, as runs without entries, to be given to
 * tables. TK_ITEM; TK_OK: there are none; TK_ENOMEM. */
int tk_known_scopes_lanes(struct tk_known_scopes *k, const struct tk_request *request,
                          const struct tk_batch *batch, struct tk_batch *lanes, struct tk_err *err);

/* Sets these lanes of the model to where the batch begins. TK_OK or TK_ENOMEM. */
int tk_known_scopes_resume(const struct tk_known_scopes *k, struct tk_scope_model *m,
                           const struct tk_batch *batch, const struct tk_batch *lanes, struct tk_err *err);

void tk_known_scopes_release(struct tk_known_scopes *k);

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
