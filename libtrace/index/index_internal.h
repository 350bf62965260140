/*
 * An index from the inside: lanes, names and where timers are. What building, windows and search share.
 */
#ifndef TK_INDEX_INDEX_INTERNAL_H
#define TK_INDEX_INDEX_INTERNAL_H

#include "base/text/intern.h"
#include "fact/fact.h"
#include "index/lane.h"
#include "index/presence.h"

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
    bool has_brief; /* scopes shorter than that are in chunks */
    struct tk_fact_clock clock;
    TK_VEC(struct tk_index_strip *) lanes;    /* owned */
    TK_VEC(struct tk_index_name) timers;      /* by id; the last is of scopes that nobody named */
    TK_VEC(uint32_t) late[TK_INDEX_READINGS]; /* slots of timers that were told late -> timer id */
    struct tk_presence presence, late_presence[TK_INDEX_READINGS]; /* the latter by slot, while it is built */
    struct tk_intern texts;
    int64_t first, last;
    uint64_t scopes, briefs; /* bytes of chunks of brief scopes */
};

/* The timer of an entry. */
uint32_t tk_index_timer_of(const struct tk_index *index, unsigned reading, uint32_t timer);

/* Bytes of a list of chunks. */
uint64_t tk_index_chunks_bytes(const struct tk_index_chunks *list);

/*
 * Adds to a window what a lane has of it, exactly: scopes of rows below `rows` that touch [from, to). brief:
 * also those shorter than a bin of level 0, else those at least as long as a bin of `level` alone.
 */
int tk_index_long_scopes(struct tk_index *index, const struct tk_index_strip *lane, unsigned level,
                         const struct tk_index_question *question, struct tk_index_window *out,
                         struct tk_err *err);
int tk_index_brief_scopes(struct tk_index *index, const struct tk_index_strip *lane,
                          const struct tk_index_question *question, struct tk_index_window *out,
                          struct tk_err *err);

/* Appends a box. TK_OK, TK_ENOMEM, TK_ELIMIT. */
int tk_index_box_add(struct tk_index_window *out, const struct tk_index_box *box, struct tk_err *err);

/* Does a scope touch [from, to), as selections of tables have it? */
static inline bool tk_index_touches(int64_t from, int64_t to, int64_t begin, int64_t end)
{
    return begin < to && (end > from || begin >= from);
}

#endif
