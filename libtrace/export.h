/*
 * Exports: what the formats of tk_export_run have in common.
 */
#ifndef TK_EXPORT_H
#define TK_EXPORT_H

#include "table/stacks.h"
#include "table/timeline.h"
#include "trace.h"

/* What is to be exported. Borrowed. */
struct tk_export {
    struct tk_trace *trace;
    const struct tk_query *query;            /* whole */
    const struct tk_export_options *options; /* whole */
};

/* Writes an export, or leaves nothing. */
typedef int tk_export_fn(const struct tk_export *e, struct tk_err *err);

/* Tables to a folder, or one to a file. */
int tk_export_tables(const struct tk_export *e, struct tk_err *err);

/* Tables to a database. */
int tk_export_sqlite(const struct tk_export *e, struct tk_err *err);

/* Screenshots to a folder. */
int tk_export_pictures(const struct tk_export *e, struct tk_err *err);

/* Timelines to a file. */
int tk_export_chrome(const struct tk_export *e, struct tk_err *err);
int tk_export_perfetto(const struct tk_export *e, struct tk_err *err);
int tk_export_speedscope(const struct tk_export *e, struct tk_err *err);

/* Stacks to a file. */
int tk_export_folded(const struct tk_export *e, struct tk_err *err);
int tk_export_pprof(const struct tk_export *e, struct tk_err *err);

/* As tk_query_run, with the rows of `scopes` in the order that the options ask for. Those wait in a sorter.
 */
int tk_export_sorted(const struct tk_export *e, const struct tk_query *query, const struct tk_sink *sink,
                     struct tk_err *err);

/* The layout of another tool. */
int tk_export_preset(const struct tk_export *e, struct tk_err *err);

/* Reads the capture once for a timeline. scopes_only: no frames, regions, marks and counters. */
int tk_export_timeline(const struct tk_export *e, const struct tk_timeline_sink *sink, bool scopes_only,
                       struct tk_err *err);

/* TK_EUSAGE where the options ask for parts or an order that a format cannot have. */
int tk_export_refuse_order(const struct tk_export *e, const char *format, struct tk_err *err);

/* What formats that take no tables have a place for beside scopes. */
#define TK_HOLDS_MARKS 1u /* frames, regions, marks, tasks and counters */
#define TK_HOLDS_BYTES 2u /* allocations */

/* Tells options->left_out, where there is one, of the tables whose rows have no place. For when the output is
 * complete: whatever fails here, it is only told. */
void tk_export_tell_left(const struct tk_export *e, unsigned holds);

/* Adds what was allocated, by callstack, to stacks. */
int tk_export_allocations(const struct tk_export *e, struct tk_stacks *stacks, struct tk_err *err);

/* Calls run with a copy of the query that names all tables there are but `events` where it names none. */
int tk_export_with_tables(const struct tk_export *e,
                          int (*run)(const struct tk_export *e, const struct tk_query *query, void *ctx,
                                     struct tk_err *err),
                          void *ctx, struct tk_err *err);

#endif
