/*
 * Builder: makes the rows of one table out of facts and slices. A table of the library is one file with one
 * struct tk_builder, and one line in tables.c.
 *
 * The run (run.h) opens the builders of a query, reads the capture once (or more often where a builder says
 * so), feeds them, and lets them send their rows.
 */
#ifndef TK_QUERY_BUILDER_H
#define TK_QUERY_BUILDER_H

#include "query/context.h"
#include "query/slices.h"

/* What somebody wants to know beforehand. */
#define TK_PRESCAN_FRAMES      1u
#define TK_PRESCAN_SWITCHES    2u
#define TK_PRESCAN_REGIONS     4u
#define TK_PRESCAN_UNIT        16u /* with frames: all of a recording without any */
#define TK_PRESCAN_FRAME_TYPES 8u  /* frames of all types */
#define TK_PRESCAN_SAMPLES     32u /* when samples were taken (tk_query_context.moments) */
#define TK_PRESCAN_PLACES      64u /* what allocated, by callstack (tk_query_context.places) */

/* Rows on their way out: buffers cells and hands them on in batches. */
struct tk_emit;

/* The cells of the next row, all TK_NONE, n_columns of the *full* table of the builder; NULL when the sink
 * failed (then finish with tk_emit_status). Columns that were not requested may be left alone. */
struct tk_cell *tk_emit_row(struct tk_emit *e);

/* Is the column (index in the full table) requested? */
bool tk_emit_wants(const struct tk_emit *e, unsigned column);

/* TK_OK or what the sink said. */
int tk_emit_status(const struct tk_emit *e);

/* Out of memory for what a row says: no further row goes out, and the status is TK_ENOMEM. */
void tk_emit_no_memory(struct tk_emit *e);

/* Bytes that live until the rows are out; NULL if out of memory. */
void *tk_emit_bytes(struct tk_emit *e, const void *p, size_t n);

/* What a builder wants of a reading, and how it goes about its rows. */
enum {
    /* Describes the file: rows come from the format's describe. It has no hooks. */
    TK_BUILDER_WHOLE = 1 << 0,

    /* Its rows are facts of the format. */
    TK_BUILDER_ROWS = 1 << 1,

    /* feed sends rows: the run makes it the first table of a reading. */
    TK_BUILDER_STREAMS = 1 << 2,

    /* Wants facts in the order of their seq. */
    TK_BUILDER_SERIAL = 1 << 3,

    /* Wants all context switches beforehand (tk_query_context.switches). */
    TK_BUILDER_SWITCHES = 1 << 4,

    /* Wants all regions beforehand (tk_query_context.regions). */
    TK_BUILDER_REGIONS = 1 << 5,

    /* Wants the whole recording as a frame where there is none (TK_RUN_UNIT). */
    TK_BUILDER_UNIT = 1 << 14,

    /* Shows records: what they refer to is wanted. */
    TK_BUILDER_RESOLVED = 1 << 6,

    /* Of records it takes those without a family alone. */
    TK_BUILDER_GENERIC = 1 << 7,

    /* Of scopes it takes slices alone, so that these may come closed. */
    TK_BUILDER_SUMS = 1 << 8,

    /* Wants to know when the capture ends: a lower bound will do where no other table reads it all. */
    TK_BUILDER_ENDS = 1 << 9,

    /* Takes queues of GPUs as threads: it wants their scopes, too. Work and waits of a queue come where
     * timers are named, as they are what its other scopes are as a whole. */
    TK_BUILDER_QUEUES = 1 << 11,

    /* Is always about timers that are named. */
    TK_BUILDER_NAMED = 1 << 12,

    /* Looks at all of the capture: what times are selected only chooses what it lists
       (tk_query_context.listed). */
    TK_BUILDER_ALL_TIME = 1 << 13,

    /* Says what is wrong with what is read: where tables may come in another order it is among the last, and
     * where no other table takes facts they come in the order of their seq, in which missing ones show. */
    TK_BUILDER_JUDGES = 1 << 10,

    /* Says the same whether facts come in file order or in that of their seq. */
    TK_BUILDER_ANY_ORDER = 1 << 15,
};

struct tk_builder {
    const struct tk_table *table; /* name and all columns */
    uint64_t facts;               /* mask of what feed wants; SCOPES when there are slices */
    uint32_t traits;              /* TK_BUILDER_... */
    void *user;                   /* for open; borrowed */
    const struct tk_collecting
        *gathering; /* for the hooks of collector.h; NULL when it has hooks of its own */

    /* Facts wanted beyond `facts`, by what the query queries. May be NULL. */
    uint64_t (*wants)(const struct tk_query_context *view, uint64_t columns);

    /* What it wants to know beforehand, by what the query queries: a mask of TK_PRESCAN_.... May be NULL. */
    unsigned (*beforehand)(const struct tk_query_context *view);

    /* What the columns requested need (bit i: column i): a mask of TK_SLICE_..., or 0. May be NULL.
     * *needs_frames: frames are wanted beforehand. */
    unsigned (*slices)(const struct tk_query_context *view, uint64_t columns, bool *needs_frames);

    /* Creates the state. builder: this one. columns: bit i set where column i is requested. */
    int (*open)(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t columns,
                void **self, struct tk_err *err);

    /* Facts in order. Called by one thread at a time. May be NULL. May emit rows. */
    int (*feed)(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err);

    /* Slices of a lane. Called by several workers for different lanes at one time; worker < jobs. Slices of
     * one lane come in order. May be NULL. */
    int (*take)(void *self, const struct tk_slices *slices, unsigned worker);

    /* For those that keep sums by node (TK_SLICE_PATH), so that the stacks that are used least can go
     * together where there are more than the limit allows; both NULL: nodes stay what they are. How many
     * slices of a lane a node had; and: node i of a lane is to[i] from now on, of n, where several may be
     * one. Called as `take` is. fold: 0, or -1 without memory. */
    uint64_t (*uses)(void *self, uint32_t lane, uint32_t node);
    int (*fold)(void *self, uint32_t lane, const uint32_t *to, size_t n);

    /* For those that need the nodes of a few slices (TK_SLICE_PATH): slices of a lane of less than this total
     * need none, and may have TK_PATH_LOST. It never gets less. Called as `take` is. NULL: all need theirs.
     */
    uint64_t (*least)(void *self, uint32_t lane);

    /* Sends rows of the slices taken since the last call; when all lanes of a batch were worked off. May be
     * NULL. For builders that stream. */
    int (*drain)(void *self, struct tk_emit *emit, struct tk_err *err);

    /* What the scope model knows about a lane when all is read. May be NULL. */
    int (*lane)(void *self, const struct tk_lane_end *lane, struct tk_err *err);

    /* Is what was requested there? When all is read, before any table is sent. TK_EMATCH ends the run without
     * output. May be NULL. */
    int (*check)(void *self, struct tk_err *err);

    /* What people are reported where there are no rows, as text that lives until close; NULL: what the table
     * says. When all is read and checked. May be NULL. */
    const char *(*none)(void *self);

    /* Sends the remaining rows. */
    int (*finish)(void *self, struct tk_emit *emit, struct tk_err *err);

    void (*close)(void *self);
};

/* Is the builder one of these (TK_BUILDER_...)? */
static inline bool tk_builder_has(const struct tk_builder *b, uint32_t traits)
{
    return (b->traits & traits) != 0;
}

#endif
