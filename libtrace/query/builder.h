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

/* What the table says where it has no rows, before it begins. The text is borrowed until it has ended. */
void tk_emit_none(struct tk_emit *e, const char *text);

/* Bytes that live until the rows are out; NULL if out of memory. */
void *tk_emit_bytes(struct tk_emit *e, const void *p, size_t n);

/* The order in which a table takes its facts. Where the order of tables is free, they are read in this one.
 */
enum tk_needs_order {
    TK_NEEDS_FILE_ORDER, /* as they stand in the file */
    TK_NEEDS_ANY_ORDER,  /* it makes the same rows of both */
    TK_NEEDS_SEQ_ORDER,  /* that of their seq */

    /* It judges what is read, and is among the last. Where no other table takes facts they come in the order
     * of their seq, in which missing ones show. */
    TK_NEEDS_LAST,
};

/* Whose scopes a table takes. Work and waits of a queue of a GPU come where timers are named, as they are
 * what its other scopes are as a whole, and where `facts` of a builder have GPU_SCOPES. */
enum tk_needs_lanes {
    TK_NEEDS_LANES_OF_FACTS, /* those of facts */
    TK_NEEDS_QUEUES,         /* those of queues, too, as if they were threads */
    TK_NEEDS_NAMED_QUEUES,   /* likewise, and it is always about timers that are named */
};

/* What records a table takes, where they are among its facts. */
enum tk_needs_records {
    TK_NEEDS_PLAIN_RECORDS,    /* what they refer to is not looked up */
    TK_NEEDS_RESOLVED_RECORDS, /* fields that refer to a definition come with its text */
    TK_NEEDS_GENERIC_RECORDS,  /* likewise, and only those without a family */
};

/* Of which frames there is a list. */
#define TK_NEEDS_GAME_FRAMES 1u /* tk_query_context.frames */
#define TK_NEEDS_ALL_FRAMES  2u /* tk_query_context.frame_list */
#define TK_NEEDS_UNIT        5u /* of the game; a recording without any is one as a whole (TK_RUN_UNIT) */

/* Lists that are made before the reading, for tk_query_context. */
struct tk_needs_lists {
    bool switches, regions;
    bool moments;    /* when samples were taken */
    bool places;     /* what allocated, by callstack */
    bool roles;      /* of threads: which one marks the game frames (tk_dict.frame_thread) */
    unsigned frames; /* TK_NEEDS_..._FRAMES, TK_NEEDS_UNIT */
};

/* What a table needs of a reading. */
struct tk_needs {
    uint64_t facts;              /* a mask of what feed takes; SCOPES when there are slices */
    const struct tk_table *rows; /* with ROW among the facts: those of this table; NULL: of all tables */
    unsigned slices;             /* TK_SLICE_...: columns of what `take` is given */
    enum tk_needs_order order;
    enum tk_needs_lanes lanes;
    enum tk_needs_records records;
    struct tk_needs_lists lists;
    bool streams;  /* rows are sent while facts come: it is the first table of a reading */
    bool sums;     /* of scopes it takes slices alone, so that these may come closed */
    bool waits;    /* recorded waits (tk_query_context.reported), where there are some */
    bool all_time; /* all of the capture: the selected times only choose what it lists
                      (tk_query_context.listed) */
    bool ends;     /* when the capture ends; a lower bound will do where no other table reads it all */
};

/* For those that keep sums by node (TK_SLICE_PATH). All are called as `take` is. */
struct tk_path_hooks {
    /* So that the stacks that are used least can go together where there are more than the limit allows; both
     * NULL: nodes stay what they are. How many slices of a lane a node had; and: node i of a lane is to[i]
     * from now on, of n, where several may be one. fold: 0, or -1 without memory. */
    uint64_t (*uses)(void *self, uint32_t lane, uint32_t node);
    int (*fold)(void *self, uint32_t lane, const uint32_t *to, size_t n);

    /* For those that need the nodes of a few slices: slices of a lane of less than this total need none, and
     * may have TK_PATH_LOST. It never gets less. NULL: all need theirs. */
    uint64_t (*least)(void *self, uint32_t lane);
};

/* What is done with scopes. */
struct tk_scope_hooks {
    /* Slices of a lane. Called by several workers for different lanes at one time; worker < jobs. Slices of
     * one lane come in order. May be NULL. */
    int (*take)(void *self, const struct tk_slices *slices, unsigned worker);

    /* What the scope model knows about a lane when all is read. May be NULL. */
    int (*lane)(void *self, const struct tk_lane_end *lane, struct tk_err *err);

    /* Sends rows of the slices taken since the last call; when all lanes of a batch were worked off. May be
     * NULL. For builders that stream. */
    int (*drain)(void *self, struct tk_emit *emit, struct tk_err *err);

    struct tk_path_hooks paths;
};

/*
 * A builder without `open` has no other hook either: its table describes the file, and its format fills it.
 */
struct tk_builder {
    const struct tk_table *table;        /* name and all columns */
    struct tk_needs needs;               /* whatever the query is */
    const struct tk_scope_hooks *scopes; /* for tables that go by scopes; or NULL */
    void *user;                          /* for open; borrowed */
    const struct tk_collecting
        *gathering; /* for the hooks of collector.h; NULL when it has hooks of its own */

    /* Adds to its needs what this query makes of them; `order` and `streams` stay. columns: bit i set where
     * column i is requested. May be NULL. */
    void (*add_needs)(const struct tk_query_context *view, uint64_t columns, struct tk_needs *needs);

    /* Creates the state. builder: this one. columns: as for add_needs. */
    int (*open)(const struct tk_query_context *view, const struct tk_builder *builder, uint64_t columns,
                void **self, struct tk_err *err);

    /* Facts in order. Called by one thread at a time. May be NULL. May emit rows. */
    int (*feed)(void *self, const struct tk_batch *batch, struct tk_emit *emit, struct tk_err *err);

    /* Is what was requested there? When all is read, before any table is sent. TK_EMATCH ends the run without
     * output. Where there will be no rows, it may say why (tk_emit_none). May be NULL. */
    int (*check)(void *self, struct tk_emit *emit, struct tk_err *err);

    /* Sends the remaining rows. */
    int (*finish)(void *self, struct tk_emit *emit, struct tk_err *err);

    void (*close)(void *self);
};

/* Does the format fill the table? */
static inline bool tk_builder_is_described(const struct tk_builder *b)
{
    return !b->open;
}

#endif
