/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_VIEW_INDEX_INDEX_IN_H
#define TK_VIEW_INDEX_INDEX_IN_H

#include "base/err.h"
#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "query/context.h"
#include "view/index/index.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The temporary file of an index: chunks of entries, packed, and lists that say where they are. Lanes write
 * to it while they are built, by several workers; windows read it.
 */

/* Where a chunk is. Entries of a list come in order of their keys: bins of cells, ends of scopes. */
struct tk_index_chunk {
    uint64_t offset;
    uint32_t stored;     /* bytes in the file */
    uint32_t size;       /* bytes when unpacked */
    uint32_t n;          /* entries */
    int64_t first, last; /* least and greatest key */
};

/* The chunks of one kind of a lane, in order. */
struct tk_index_chunks {
    TK_VEC(struct tk_index_chunk) v;
};

struct tk_index_store;

/* folder may be NULL: TMPDIR, else /tmp. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_index_store_open(struct tk_index_store **out, const char *folder, unsigned workers,
                        struct tk_err *err);

/*
 * Packs size bytes, where that makes them fewer and `packs` is set, and appends them to a list; `chunk` has
 * n and the keys. Called by several workers at one time, for lists of their own. TK_OK, TK_ENOMEM, or
 * TK_EOUTPUT, of which the cause is kept (tk_index_store_failed).
 */
int tk_index_store_add(struct tk_index_store *s, struct tk_index_chunks *list, struct tk_index_chunk chunk,
                       const void *p, size_t size, bool packs, unsigned worker);

/* The first failure to write, TK_OK where there was none. */
int tk_index_store_failed(struct tk_index_store *s, struct tk_err *err);

/* Reads a chunk: its bytes, borrowed until the next call. TK_OK, TK_EOUTPUT, TK_ENOMEM. */
int tk_index_store_read(struct tk_index_store *s, const struct tk_index_chunk *chunk, const uint8_t **out,
                        struct tk_err *err);

/* Bytes of the file. */
uint64_t tk_index_store_bytes(const struct tk_index_store *s);

/* The first chunk of a list whose last key is not before one. */
size_t tk_index_chunks_from(const struct tk_index_chunks *list, int64_t key);

/* NULL is allowed. */
void tk_index_store_close(struct tk_index_store *s);

/*
 * Entries of an index as bytes: cells by column, and scopes one after the other. Lanes put them into chunks
 * of the store, windows read them back.
 */

/* A cell: what all scopes shorter than a bin cover of it, at one row. */
struct tk_index_cell {
    int64_t bin;
    uint32_t timer; /* of the longest */
    uint16_t row;
    uint8_t cover; /* 1 to 254 of 254 parts */
    uint8_t count; /* scopes that end in it, as tk_index_count_code has it */
};

/* A scope. */
struct tk_index_scope {
    int64_t begin, end;
    uint32_t timer;
    uint16_t row;
    uint8_t flags; /* TK_INDEX_... of index.h */
};

/* Entries of a chunk. */
#define TK_INDEX_CELLS  2048u
#define TK_INDEX_SCOPES 1024u

/* Most bytes that they take. */
#define TK_INDEX_CELLS_BYTES  (TK_INDEX_CELLS * 16u)
#define TK_INDEX_SCOPES_BYTES (TK_INDEX_SCOPES * 32u)

/* A count in a byte: exact below 128, then a quarter of an octave wide, rounded down. And back. */
uint8_t tk_index_count_code(uint64_t count);
uint32_t tk_index_count_of(uint8_t code);

/* How many bytes n entries take, which are written to p. Cells are in order of bins, scopes of ends, and of
 * scopes `end` is not before the begin. */
size_t tk_index_cells_put(uint8_t *p, const struct tk_index_cell *v, size_t n);
size_t tk_index_scopes_put(uint8_t *p, const struct tk_index_scope *v, size_t n);

/* The entries of a chunk of `size` bytes; false where they are not what was written. */
bool tk_index_cells_get(struct tk_index_cell *v, const struct tk_index_chunk *chunk, const uint8_t *p);
bool tk_index_scopes_get(struct tk_index_scope *v, const struct tk_index_chunk *chunk, const uint8_t *p);

/*
 * A lane of an index while it is built: scopes go to levels, and levels to chunks.
 *
 * Level k has bins of 2^(shift + 2k) cycles. A scope that is as long as a bin of level k, and not as one of
 * level k + 1, is kept exactly in level k; what is shorter than a bin of level 0 is kept apart, or found in
 * the capture again. In addition, each scope is in a cell of the first level whose bins are longer than it; a
 * bin that is over is added to the next level. Scopes come in order of their ends, so the two last bins are
 * all that is open of a level: a scope reaches into one bin before that of its end at most.
 */

#define TK_INDEX_LEVELS 31

/* What a level covers of one row of an open bin. */
struct tk_index_open_cell {
    uint64_t longest; /* 1 + the length of the longest scope; 0: the cell is empty */
    uint64_t covered;
    uint32_t timer;
    uint32_t count;
};

struct tk_index_bin {
    struct tk_index_open_cell *rows; /* owned, space for `cap` */
    size_t used, cap;                /* rows from `used` on are empty */
};

struct tk_index_level {
    int64_t at;                  /* the last open bin; the other one is before it */
    struct tk_index_bin bins[2]; /* bin b is bins[b & 1] */
    bool closed;                 /* a bin was */
    TK_VEC(struct tk_index_cell) cells;
    TK_VEC(struct tk_index_scope) scopes;
    struct tk_index_chunks cell_chunks, scope_chunks;
};

/* Scopes from a time on are in the capture from a place on (tk_batch.from). */
struct tk_index_mark {
    int64_t time;
    uint64_t from, to; /* what was read when they came */
};

/* A lane, as it is built and as it is read. */
struct tk_index_strip {
    struct tk_index_lane info; /* without names until all is read */
    uint32_t number;           /* of the lane in its reading */
    unsigned reading;
    struct tk_index_level *levels[TK_INDEX_LEVELS]; /* owned */
    unsigned n_levels;
    TK_VEC(struct tk_index_scope) brief; /* scopes shorter than a bin of level 0 */
    TK_VEC(struct tk_index_scope) unended;
    struct tk_index_chunks brief_chunks;
    bool keeps_brief; /* they are in chunks; else found in the capture again, by its marks: */
    TK_VEC(struct tk_index_mark) marks; /* in order of times and places */
    bool stamped;                       /* some come later than what is around them */
    bool uneven; /* times went backwards, or scopes were too deep: only read from the start */
    bool has_time;
    size_t held, counted; /* bytes of entries in memory, and what of them others know */
};

/* What lanes are built with. */
struct tk_index_maker {
    struct tk_index_store *store;
    unsigned shift;
    uint8_t **bytes; /* owned, one a worker: space for the bytes of a chunk */
};

/* Adds a scope that ended; ends do not go backwards. TK_OK, TK_ENOMEM, TK_EOUTPUT. */
int tk_index_strip_add(const struct tk_index_maker *maker, struct tk_index_strip *lane,
                       const struct tk_index_scope *scope, unsigned worker);

/* Writes all entries that are in memory. As tk_index_strip_add. */
int tk_index_strip_flush(const struct tk_index_maker *maker, struct tk_index_strip *lane, unsigned worker);

/* The lane is complete: closes all bins, writes all entries, frees what only building needs. */
int tk_index_strip_finish(const struct tk_index_maker *maker, struct tk_index_strip *lane, unsigned worker);

void tk_index_strip_free(struct tk_index_strip *lane);

/* The bin of a level that a time lies in. */
static inline int64_t tk_index_bin_of(int64_t time, unsigned shift)
{
    return time >= 0 ? time >> shift : ~(~time >> shift);
}

/*
 * Where timers are: how many scopes of each end in each part of the time. Counted by workers while lanes are
 * built, each for itself; a search shows it.
 */

/* Most parts, a power of two. They are 2^shift cycles long; when there would be more, two become one. */
#define TK_PRESENCE_PARTS 2048u

struct tk_presence_part {
    uint32_t *counts; /* owned: by timer */
    size_t n;
};

struct tk_presence {
    struct tk_presence_part *parts; /* owned: TK_PRESENCE_PARTS */
    int64_t first;                  /* number of parts[0] */
    size_t n;
    unsigned shift;
    size_t held;   /* counts in all parts */
    size_t budget; /* most of them; two parts become one where there would be more */
};

/* Begins empty. 0, or -1 without memory. */
int tk_presence_init(struct tk_presence *p, unsigned shift, size_t budget);
void tk_presence_release(struct tk_presence *p);

/* Counts n scopes of a timer that end at a time, in part `part` of that. 0, or -1 without memory. */
int tk_presence_add(struct tk_presence *p, int64_t part, uint32_t timer, uint32_t n);

/* The same as one scope, in the common case at once. */
static inline int tk_presence_count(struct tk_presence *p, int64_t time, uint32_t timer)
{
    const int64_t part = time >= 0 ? time >> p->shift : ~(~time >> p->shift);
    const uint64_t at = (uint64_t)part - (uint64_t)p->first;
    if (at < p->n && timer < p->parts[at].n) {
        p->parts[at].counts[timer] += 1;
        return 0;
    }
    return tk_presence_add(p, part, timer, 1);
}

/* Adds all of another one's counts, with their timers through `timer_of` (NULL: as they are). */
int tk_presence_join(struct tk_presence *p, const struct tk_presence *from,
                     uint32_t (*timer_of)(void *ctx, uint32_t timer), void *ctx);

/*
 * An index from the inside: lanes, names and where timers are. What building, windows and search share.
 */

#define TK_INDEX_READINGS 2u /* threads, and queues of GPUs, which come in another order */

struct tk_index_name {
    const struct tk_str *name, *file; /* in texts; file NULL: not known */
    uint32_t line;
    enum tk_index_kind kind;
    uint64_t scopes;
};

struct tk_index {
    struct tk_trace *trace; /* borrowed */
    struct tk_index_store *store;
    unsigned shift; /* bins of level 0 are 2^shift cycles */
    uint64_t end;   /* behind the last place of the capture */
    struct tk_fact_clock clock;
    TK_VEC(struct tk_index_strip *) lanes;    /* owned */
    TK_VEC(struct tk_index_name) timers;      /* by id; the last is of scopes that nobody named */
    TK_VEC(uint32_t) late[TK_INDEX_READINGS]; /* slots of timers that were defined late -> timer id */
    struct tk_presence presence, late_presence[TK_INDEX_READINGS]; /* the latter by slot, while it is built */
    struct tk_intern texts;
    int64_t first, last;
    uint64_t scopes, briefs; /* bytes of chunks of brief scopes */
};

#define TK_INDEX_COUNTS ((size_t)3 << 20) /* most of them in a presence */

/* Keeps a text for as long as the index; NULL stays NULL. TK_OK or TK_ENOMEM. */
int tk_index_keep_text(struct tk_index *index, const struct tk_str *from, const struct tk_str **out);

/* The timer of an entry. */
uint32_t tk_index_timer_of(const struct tk_index *index, unsigned reading, uint32_t timer);

/* Bytes of a list of chunks. */
uint64_t tk_index_chunks_bytes(const struct tk_index_chunks *list);

/*
 * Adds to a window what a lane has of it: scopes of the rows that are requested, at least as long as a bin of
 * `level`, also those that never ended.
 */
int tk_index_long_scopes(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                         const struct tk_index_question *question, struct tk_index_window *out,
                         struct tk_err *err);

/* Adds to windows, one for each lane of the question, the scopes shorter than a bin of level 0. As
 * tk_index_window. */
int tk_index_brief_scopes(struct tk_index *index, const struct tk_index_question *question,
                          struct tk_index_window *outs, struct tk_err *err);

/* The scopes of a list of chunks, of which none is as long as `longest`, that touch the window of a fold. */
struct tk_index_fold;
int tk_index_scopes_read(struct tk_index *index, const struct tk_index_chunks *list, uint64_t longest,
                         struct tk_index_fold *f, struct tk_err *err);

/* Adds to a window the cells of a level, of rows that are requested. As tk_index_window. */
int tk_index_cells_read(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                        const struct tk_index_question *question, struct tk_index_window *out,
                        struct tk_err *err);

/* The temporary file is not what was written: TK_EOUTPUT. */
int tk_index_damaged(struct tk_err *err);

/* Appends a box. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_index_box_add(struct tk_index_window *out, const struct tk_index_box *box, struct tk_err *err);

/* Cycles of a bin. */
static inline uint64_t tk_index_bin_width(const struct tk_index *index, unsigned level)
{
    const unsigned shift = index->shift + 2 * level;
    return shift < 63 ? UINT64_C(1) << shift : INT64_MAX;
}

/* Does a scope touch [from, to), as selections of tables have it? */
static inline bool tk_index_touches(int64_t from, int64_t to, int64_t begin, int64_t end)
{
    return begin < to && (end > from || begin >= from);
}

/*
 * Scopes on their way into a window: those narrower than a pixel are put together, row by row, in cells of a
 * pixel. Scopes of chunks and scopes read from the capture again both end here.
 */

/* The last two pixels of a row that something ended in: pixel n is at[n & 1]. */
struct tk_index_fold_row {
    int64_t pixel;
    struct tk_index_open_cell at[2];
};

struct tk_index_fold {
    const struct tk_index *index;
    const struct tk_index_question *question; /* borrowed */
    unsigned reading;                         /* of the lane */
    uint32_t most;                            /* rows */
    uint64_t pixel;                           /* cycles; 0: nothing is put together */
    struct tk_index_fold_row *rows;           /* owned */
    size_t n_rows;
    struct tk_index_window *out; /* borrowed */
};

/* Begins for a lane. */
void tk_index_fold_begin(struct tk_index_fold *f, const struct tk_index *index, unsigned reading,
                         const struct tk_index_question *question, struct tk_index_window *out);

/* A scope of the lane; those that have ends come in order of them. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_index_fold_add(struct tk_index_fold *f, const struct tk_index_scope *scope, struct tk_err *err);

/* No more of them: the last cells. As tk_index_fold_add. */
int tk_index_fold_end(struct tk_index_fold *f, struct tk_err *err);

void tk_index_fold_release(struct tk_index_fold *f);

/*
 * One reading of a capture for its index, while it is under way. build.c requests readings, reading.c takes
 * what comes, marks.c notes where that stands.
 */

struct tk_index_making {
    struct tk_index *index;
    struct tk_index_maker maker;
    const struct tk_query_context *view;
    unsigned reading;
    size_t first_lane;             /* in index->lanes, of this reading */
    struct tk_presence *presences; /* owned, one a worker */
    struct tk_presence *lates;     /* likewise, by slot */
    unsigned workers;
    uint64_t most_timers; /* others are not counted */
    size_t marks;
    TK_VEC(struct tk_index_strip *) touched; /* by the last batch */
    size_t held;                             /* bytes of entries in memory, of all lanes */
    struct tk_map parts;                     /* kind and thread -> lanes of it so far */
};

/* Notes from where on the scopes of a run are in the capture. TK_OK or TK_ENOMEM. */
int tk_index_mark_run(struct tk_index_making *m, const struct tk_batch *batch,
                      const struct tk_scope_run *run);

/* Reads the capture for lanes of threads (0) or of queues of GPUs (1). As tk_index_build. */
int tk_index_read(struct tk_index *index, unsigned reading, struct tk_err *err);

/* A builder of lanes for `workers`: with space for chunks. The caller releases it, whatever is returned.
 * TK_OK or TK_ENOMEM. */
int tk_index_maker_open(struct tk_index_maker *maker, const struct tk_index *index, unsigned workers);
void tk_index_maker_release(struct tk_index_maker *maker, unsigned workers);

/*
 * Lanes made of rows of tables (row_lanes.c). Each kind is a file, which says what it reads and makes spans
 * of rows; they are sorted, laid on rows where they overlap, and put into lanes as scopes are.
 *
 *   rows --> row_KIND.c --> spans --> span_lanes.c: external sort --> rows of a lane --> lane.c
 */

enum { TK_INDEX_ROW_COLUMNS = 8 };

struct tk_index_rows;

struct tk_index_row_kind {
    const char *name, *table;
    uint64_t facts;                            /* that the table is made of: TK_FACT_MASK */
    const char *columns[TK_INDEX_ROW_COLUMNS]; /* that `take` reads, in its order; NULL behind them */
    /* Takes a row: the cells of the columns, of kind TK_NONE where there is none. TK_OK, or what
     * tk_index_rows_span returned. */
    int (*take)(struct tk_index_rows *r, const struct tk_cell *cells);
};

extern const struct tk_index_row_kind tk_index_row_cores, tk_index_row_fences, tk_index_row_locks,
    tk_index_row_tasks, tk_index_row_files, tk_index_row_packages, tk_index_row_requests;

struct tk_index_spans;

/* What lanes of cores keep between rows: threads that ran, and of each core those that left it and after
 * which none has run there yet, as a list. */
struct tk_index_runner {
    int64_t end;        /* of its last run; INT64_MAX: there was none */
    uint32_t core;      /* of that */
    int64_t next_begin; /* of the thread that ran there after it */
    uint32_t next;      /* that thread; UINT32_MAX: none so far */
    uint32_t left;      /* behind it in the list of its core; UINT32_MAX: none */
    struct tk_str name; /* lives as long as the index */
};

struct tk_index_rows {
    struct tk_index *index;
    struct tk_index_spans *spans;
    struct tk_err *err;
    uint8_t at[TK_INDEX_KINDS][TK_INDEX_ROW_COLUMNS]; /* columns of the tables; UINT8_MAX: it has none */
    struct tk_map runner_of, core_of;                 /* thread of the system, core -> its number below */
    TK_VEC(struct tk_index_runner) runners;
    TK_VEC(uint32_t) cores; /* the first thread of the list of each; UINT32_MAX: none */
    struct tk_map lock_of;  /* name and id of a lock -> its number */
    uint32_t n_locks;
};

/* Reads rows for lanes of all kinds that the capture has. As tk_index_build. */
int tk_index_read_rows(struct tk_index *index, const char *folder, struct tk_err *err);

/* Space for spans; NULL without memory. The caller closes it; NULL is allowed there. */
struct tk_index_spans *tk_index_spans_open(struct tk_index *index, const char *folder, struct tk_err *err);
void tk_index_spans_close(struct tk_index_spans *s);

/* Adds a span: kind, number and name of its lane, its times (no end: INT64_MAX), its name made of two texts,
 * of which the second may be empty. TK_OK, TK_ENOMEM, TK_EOUTPUT. */
struct tk_index_span_lane {
    enum tk_index_kind kind;
    uint32_t number;
    struct tk_str name;
};
int tk_index_rows_span(struct tk_index_rows *r, const struct tk_index_span_lane *lane, int64_t begin,
                       int64_t end, struct tk_str name, const char *more);

/* Makes lanes of all spans. As tk_index_build. */
int tk_index_spans_lay(struct tk_index_spans *s, struct tk_err *err);

static inline struct tk_str tk_index_text(const char *text)
{
    return (struct tk_str){.p = text, .n = (uint32_t)strlen(text)};
}

#endif
