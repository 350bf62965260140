/*
 * An index from the inside: lanes, names and where timers are. What building, windows and search share.
 */
#ifndef TK_INDEX_INDEX_INTERNAL_H
#define TK_INDEX_INDEX_INTERNAL_H

#include "base/text/intern.h"
#include "fact/fact.h"
#include "view/index/lane.h"
#include "view/index/presence.h"

#define TK_INDEX_READINGS 2u /* threads, and queues of GPUs, which come in another order */

struct tk_index_name {
    const struct tk_str *name, *file; /* in texts; file NULL: not known */
    uint32_t line;
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
 * Adds to a window what a lane has of it: scopes of the rows that are asked for, at least as long as a bin of
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

/* Adds to a window the cells of a level, of rows that are asked for. As tk_index_window. */
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

#endif
