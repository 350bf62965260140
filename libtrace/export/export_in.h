/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_EXPORT_EXPORT_IN_H
#define TK_EXPORT_EXPORT_IN_H

#include "api/trace.h"
#include "io/scratch/readahead.h"
#include "query/builder.h"
#include "table/cell.h"
#include "table/timeline.h"
#include "tracekit/exports.h"
#include "tracekit/queries.h"
#include "tracekit/sinks.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * What the formats of tk_export_run share. Each of them reads a capture with tk_run and feeds a sink.
 */

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

/* As tk_export_join_open, with a format that takes tables; query and options are whole. */
int tk_joining_open(struct tk_export_join **out, const struct tk_query *query,
                    const struct tk_export_options *options, struct tk_err *err);

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
 * writers: where the rows of the sink can be made apart; else NULL. */
struct tk_row_writers;
int tk_export_sorted(const struct tk_export *e, const struct tk_query *query, const struct tk_sink *sink,
                     const struct tk_row_writers *writers, struct tk_err *err);

/*
 * A sink for tables of a format that keeps reals as doubles: counts the whole numbers among them that lose
 * digits, and says `rounded` of the options at the end of each table. Where nobody wants to be reported, *out
 * is NULL and *sink is `inner`. TK_OK or TK_ENOMEM; NULL may be freed.
 */
struct tk_digits;
int tk_digits_new(struct tk_digits **out, const struct tk_sink **sink, const struct tk_export *e,
                  const struct tk_sink *inner, struct tk_err *err);
void tk_digits_free(struct tk_digits *d);

/*
 * A sink that rows of several captures come to, one capture after another, and that hands them on to `inner`
 * (borrowed) with columns in front: `capture`, where they are named, and `wall_clock` of tables with times.
 * TK_OK or TK_ENOMEM; NULL may be freed.
 */
struct tk_joined_how {
    bool named;
    bool in_turn;     /* the inner sink sees each table begin and end once a capture; else once */
    bool all_columns; /* no columns were named: tables have those of all formats */
};
struct tk_joined;
int tk_joined_new(struct tk_joined **out, const struct tk_sink *inner, struct tk_joined_how how,
                  struct tk_err *err);
struct tk_sink tk_joined_sink(struct tk_joined *j);
void tk_joined_free(struct tk_joined *j);

/* From now on rows are of this capture. The name (borrowed) may be NULL. TK_OK, or as tk_trace_begin. */
int tk_joined_next(struct tk_joined *j, struct tk_trace *trace, const char *name, struct tk_err *err);

/* There is no further capture: tables end. TK_OK or what the sink said. */
int tk_joined_end(struct tk_joined *j, struct tk_err *err);

/* The layout of another tool. */
int tk_export_preset(const struct tk_export *e, struct tk_err *err);

/* TK_EUSAGE where the options ask for parts or an order that a format cannot have. */
int tk_export_refuse_order(const struct tk_export *e, const char *format, struct tk_err *err);

/* What formats that take no tables have a place for alongside scopes. */
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
    size_t n;                    /* 0 where nobody wants to be reported */
    const struct tk_sink *inner; /* for the rows of all other tables */
};

/* TK_OK or TK_ENOMEM; to be released in any case. */
int tk_left_init(struct tk_left *left, const struct tk_export *e, unsigned holds, struct tk_err *err);
void tk_left_release(struct tk_left *left);

/* As tk_run, for the builders and the tables left out; neither: TK_OK. */
int tk_left_run(struct tk_left *left, const struct tk_export *e, const struct tk_builder *const *builders,
                size_t n, const struct tk_query *query, const struct tk_sink *sink, struct tk_err *err);

/* Says options->left_out of the tables that had rows. For when the output is complete. */
void tk_left_tell(const struct tk_left *left, const struct tk_export *e);

/* Sends columns of a table, where those are by callstack, to a sink. As tk_query_run. */
int tk_export_ask_callstacks(const struct tk_export *e, const char *table, const char *const *columns,
                             size_t n, const struct tk_sink *sink, struct tk_err *err);

/* Adds what was allocated, by callstack, to stacks. */
int tk_export_allocations(const struct tk_export *e, struct tk_stacks *stacks, struct tk_err *err);

/* Fills *sampled, which begins empty and is to be released, with the same by address. */
int tk_export_allocated_addresses(const struct tk_export *e, struct tk_sampled *sampled, struct tk_err *err);

/*
 * Rows and items on their way to a sink that works alongside the reading: they are copied to pieces, and
 * while one piece is filled a worker gives those before to the sink. So a sink gets the same in the same
 * order as without, and only one piece at a time.
 */

/* Pieces at one time, so that nobody waits for the other one at each. */
enum { TK_PARALLEL_PIECES = 4 };

/*
 * What both kinds share: pieces, of which one is filled while a worker gives the others to the sink, one
 * after the other. Both kinds begin with it.
 */
struct tk_parallel {
    const struct tk_context *ctx; /* borrowed */
    /* Gives a piece to the sink and empties it, in a worker; what the sink said. */
    int (*give)(struct tk_parallel *b, unsigned piece, struct tk_err *err);
    bool (*is_empty)(const struct tk_parallel *b, unsigned piece);
    unsigned filling; /* which piece */
    struct tk_writebehind behind;
    struct tk_err err; /* why it failed */
};

void tk_parallel_open(struct tk_parallel *b, const struct tk_context *ctx,
                      int (*give)(struct tk_parallel *b, unsigned piece, struct tk_err *err),
                      bool (*is_empty)(const struct tk_parallel *b, unsigned piece));

/* Has the export more than one thread, and does nobody look where its batches end? If not, sinks are called
 * at once. */
bool tk_parallel_helps(const struct tk_export *e);

/* The piece that was filled goes to the sink, and another one is filled next, once it is empty.
 * TK_OK, what a piece ended with, or TK_ECANCELED where nobody wants more. */
int tk_parallel_hand_over(struct tk_parallel *b, struct tk_err *err);

/* The sink has all there is so far. As above. */
int tk_parallel_drain(struct tk_parallel *b, struct tk_err *err);

/* Waits for what is under way; `rc` is what the run ended with. What a sink said comes before it. */
int tk_parallel_end(struct tk_parallel *b, int rc, struct tk_err *err);

/* Queries, in the thread of the caller, whether the export shall stop. TK_OK or TK_ECANCELED. */
int tk_parallel_ask(const struct tk_context *ctx, struct tk_err *err);

/* rc, with the cause that a piece failed with. */
int tk_parallel_cause(const struct tk_err *cause, int rc, struct tk_err *err);

/* ---- rows ---- */

struct tk_rows_parallel;

/* inner is borrowed. TK_OK or TK_ENOMEM. */
int tk_rows_parallel_open(struct tk_rows_parallel **out, const struct tk_export *e,
                          const struct tk_sink *inner, struct tk_err *err);
struct tk_sink tk_rows_parallel_sink(struct tk_rows_parallel *r);

/* Waits for what is under way, and frees. rc is what the run ended with; what a sink said comes before it.
 * NULL: rc. */
int tk_rows_parallel_close(struct tk_rows_parallel *r, int rc, struct tk_err *err);

/* ---- rows whose bytes are made apart ---- */

/* Which writer the rows of a table go to, once it has begun. */
struct tk_row_writers {
    void *self;
    struct tk_writer *(*of)(void *self, const struct tk_table *table);
};

struct tk_rows_apart;

/* As above, for a sink whose writers' rows can be made apart: several pieces at one time, by
 * all workers. What is borrowed is borrowed until the end. */
int tk_rows_apart_open(struct tk_rows_apart **out, const struct tk_export *e, const struct tk_sink *inner,
                       const struct tk_row_writers *writers, struct tk_err *err);
struct tk_sink tk_rows_apart_sink(struct tk_rows_apart *r);
int tk_rows_apart_close(struct tk_rows_apart *r, int rc, struct tk_err *err);

/* ---- items ---- */

struct tk_items_parallel;

/* As above, for the hooks track and items of a timeline; start and finish are for the caller. */
int tk_items_parallel_open(struct tk_items_parallel **out, const struct tk_export *e,
                           const struct tk_timeline_sink *inner, struct tk_err *err);
struct tk_timeline_sink tk_items_parallel_sink(struct tk_items_parallel *r);
int tk_items_parallel_close(struct tk_items_parallel *r, int rc, struct tk_err *err);

/* ---- items whose bytes are made apart ---- */

struct tk_timeline_writer;

struct tk_items_apart;

/* Likewise, to a writer whose items can be made apart, as rows apart. */
int tk_items_apart_open(struct tk_items_apart **out, const struct tk_export *e,
                        struct tk_timeline_writer *writer, struct tk_err *err);
struct tk_timeline_sink tk_items_apart_sink(struct tk_items_apart *r);
int tk_items_apart_close(struct tk_items_apart *r, int rc, struct tk_err *err);

/*
 * Items of a timeline that are copied with their texts from where they stand for a moment, so that others can
 * work on them later. The items alongside and apart are made of them.
 */

/* Zero-initialised it is empty, and may be released. */
struct tk_item_piece {
    struct tk_item *items; /* owned */
    size_t n;
    struct tk_str *texts; /* owned */
    size_t n_texts;
    char *bytes; /* owned */
    size_t n_bytes;
};

/* false: out of memory. */
bool tk_item_piece_init(struct tk_item_piece *p);
void tk_item_piece_release(struct tk_item_piece *p);

static inline void tk_item_piece_clear(struct tk_item_piece *p)
{
    p->n = p->n_texts = p->n_bytes = 0;
}

/* Cannot a copy of it stand alone? */
bool tk_item_is_deep(const struct tk_item *item);

/* Copies an item that is not deep; name: what to have for its name, NULL: a copy. NULL: the piece has no
 * space for it, and stays as it was. */
const struct tk_item *tk_item_piece_copy(struct tk_item_piece *p, const struct tk_item *item,
                                         const struct tk_str *name);

/*
 * A piece of rows of one table, copied from where they stand for a moment, so that others can work on them
 * later. The rows alongside and apart are made of them.
 */

/* Texts that were copied, by where they stood. */
enum { TK_ROW_PIECE_SLOTS = 1024 };

/* Zero-initialised it is empty. Texts stay when it is cleared, as the next rows often have the same: then
 * nothing is written that another thread has in its cache. */
struct tk_row_piece {
    const struct tk_table *table; /* borrowed until it has ended */
    struct tk_cell *cells;        /* owned */
    size_t cap;                   /* cells */
    size_t rows;
    char *text; /* owned */
    size_t n_text;
    struct tk_row_piece_slot {
        const char *from;
        const char *copy; /* in text; NULL: none */
        uint32_t n;
    } slots[TK_ROW_PIECE_SLOTS];
};

void tk_row_piece_release(struct tk_row_piece *p);

enum tk_row_copied {
    TK_ROWS_ALL,  /* the rows are in the piece */
    TK_ROWS_FULL, /* it holds no more, or has rows of another table: give it away and go on with an empty one
                   */
    TK_ROWS_DEEP, /* the next row has cells that point to others, or long texts: it is to be used as it is */
    TK_ROWS_NOMEM
};

/* Copies rows from number *at on, which moves on. */
enum tk_row_copied tk_row_piece_copy(struct tk_row_piece *p, const struct tk_table *table,
                                     const struct tk_rows *rows, size_t *at);

static inline struct tk_rows tk_row_piece_rows(const struct tk_row_piece *p)
{
    return (struct tk_rows){.n = p->rows, .cells = p->cells};
}

/* Forgets the rows. Whoever has them must be done with them. */
void tk_row_piece_clear(struct tk_row_piece *p);

#endif
