/*
 * Reading: one way through a capture that answers some of the tables of a run.
 */
#ifndef TK_ENGINE_CAPTURE_READING_H
#define TK_ENGINE_CAPTURE_READING_H

#include "engine/prescan.h"
#include "engine/scope_memory.h"
#include "query/emit.h"

/* A table of a run. */
struct tk_run_table {
    const struct tk_builder *builder; /* borrowed */
    struct tk_emit *emit;             /* owned */
    bool along;                       /* nobody asked for it: its rows go nowhere */
    uint64_t facts;                   /* that it wants */
    unsigned slices;                  /* TK_SLICE_... that it wants */
    unsigned lanes;                   /* whose: bit k for those of kind k (enum tk_lane_kind) */
    bool waits;                       /* it wants what is told of waits */
    void *self;                       /* state of the builder while a reading is under way */
};

struct tk_run {
    struct tk_query_context view;
    struct tk_run_table *tables; /* owned, n */
    size_t n;
    struct tk_query along; /* the query of tables that nobody asked for */
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

#endif
