/*
 * What the formats of tk_export_run share. Each of them reads a capture with tk_run and feeds a sink.
 */
#ifndef TK_EXPORT_EXPORT_H
#define TK_EXPORT_EXPORT_H

#include "api/tables.h"
#include "api/trace.h"
#include "query/builder.h"
#include "table/sampled.h"
#include "table/stacks.h"
#include "table/timeline.h"

/* What is to be exported. Borrowed. */
struct tk_export {
    struct tk_trace *trace;
    const struct tk_query *query;            /* whole */
    const struct tk_export_options *options; /* whole */
};

/* The query and options of a caller, who may know shorter structs. TK_OK or TK_EUSAGE. */
int tk_export_take(struct tk_query *whole, const struct tk_query *query, struct tk_export_options *opt,
                   const struct tk_export_options *options, struct tk_err *err);

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
int tk_export_tracy(const struct tk_export *e, struct tk_err *err);

/* Symbols to a file. */
int tk_export_tksym(const struct tk_export *e, struct tk_err *err);

/* Stacks to a file. */
int tk_export_folded(const struct tk_export *e, struct tk_err *err);
int tk_export_flamegraph(const struct tk_export *e, struct tk_err *err);
int tk_export_pprof(const struct tk_export *e, struct tk_err *err);

/* As tk_query_run, with the rows of `scopes` in the order that the options ask for. Those wait in a sorter.
 * writers: where the rows of the sink can be made apart (beside.h); else NULL. */
struct tk_row_writers;
int tk_export_sorted(const struct tk_export *e, const struct tk_query *query, const struct tk_sink *sink,
                     const struct tk_row_writers *writers, struct tk_err *err);

/*
 * A sink for tables of a format that keeps reals as doubles: counts the whole numbers among them that lose
 * digits, and tells `rounded` of the options at the end of each table. Where nobody wants to be told, *out
 * is NULL and *sink is `inner`. TK_OK or TK_ENOMEM; NULL may be freed.
 */
struct tk_digits;
int tk_digits_new(struct tk_digits **out, const struct tk_sink **sink, const struct tk_export *e,
                  const struct tk_sink *inner, struct tk_err *err);
void tk_digits_free(struct tk_digits *d);

/* The layout of another tool. */
int tk_export_preset(const struct tk_export *e, struct tk_err *err);

/* TK_EUSAGE where the options ask for parts or an order that a format cannot have. */
int tk_export_refuse_order(const struct tk_export *e, const char *format, struct tk_err *err);

/* What formats that take no tables have a place for beside scopes. */
#define TK_HOLDS_MARKS   1u /* frames, regions, marks, tasks and counters */
#define TK_HOLDS_BYTES   2u /* allocations */
#define TK_HOLDS_SAMPLES 4u
#define TK_HOLDS_EVENTS  8u /* allocations, samples, times on cores and locks */

/* Rows that an export leaves out, by table: tables that its format cannot hold are built and counted in
 * the readings of the export itself. */
struct tk_left {
    struct tk_left_table {
        struct tk_builder made; /* where the format says the rows */
        const struct tk_builder *builder;
        uint64_t rows;
    } * tables;                  /* owned: TK_MOST_TABLES */
    size_t n;                    /* 0 where nobody wants to be told */
    const struct tk_sink *inner; /* for the rows of all other tables */
};

/* TK_OK or TK_ENOMEM; to be released in any case. */
int tk_left_init(struct tk_left *left, const struct tk_export *e, unsigned holds, struct tk_err *err);
void tk_left_release(struct tk_left *left);

/* As tk_run, for the builders and the tables left out; neither: TK_OK. */
int tk_left_run(struct tk_left *left, const struct tk_export *e, const struct tk_builder *const *builders,
                size_t n, const struct tk_query *query, const struct tk_sink *sink, struct tk_err *err);

/* Tells options->left_out of the tables that had rows. For when the output is complete. */
void tk_left_tell(const struct tk_left *left, const struct tk_export *e);

/* Sends columns of a table, where those are by callstack, to a sink. As tk_query_run. */
int tk_export_ask_callstacks(const struct tk_export *e, const char *table, const char *const *columns,
                             size_t n, const struct tk_sink *sink, struct tk_err *err);

/* Adds what was allocated, by callstack, to stacks. */
int tk_export_allocations(const struct tk_export *e, struct tk_stacks *stacks, struct tk_err *err);

/* Fills *sampled, which begins empty and is to be released, with the same by address. */
int tk_export_allocated_addresses(const struct tk_export *e, struct tk_sampled *sampled, struct tk_err *err);

#endif
