/*
 * A lane of an index while it is built: scopes go to levels, and levels to chunks.
 *
 * Level k has bins of 2^(shift + 2k) cycles. A scope that is as long as a bin of level k, and not as one of
 * level k + 1, is kept exactly in level k; what is shorter than a bin of level 0 is kept apart, or found in
 * the capture again. Besides, each scope is in a cell of the first level whose bins are longer than it; a bin
 * that is over is added to the next level. Scopes come in order of their ends, so the two last bins are all
 * that is open of a level: a scope reaches into one bin before that of its end at most.
 */
#ifndef TK_INDEX_LANE_H
#define TK_INDEX_LANE_H

#include "view/index/entries.h"
#include "view/index/index.h"

#define TK_INDEX_LEVELS 31

/* What a level covers of one row of an open bin. */
struct tk_index_open_cell {
    uint64_t longest; /* 1 + the length of the longest scope; 0: the cell is empty */
    uint64_t covered;
    uint32_t timer;
    uint32_t count;
};

struct tk_index_bin {
    struct tk_index_open_cell *rows; /* owned, room for `cap` */
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
    uint8_t **bytes; /* owned, one a worker: room for the bytes of a chunk */
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

#endif
