/*
 * Moves: what allocations and frees do to the sums of groups, done behind the steps. Steps say what is alive
 * and only note a move of 24 bytes; sums are kept by one task of the pool at a time, which takes moves in the
 * order of steps, many at once. If the pool has one job, the caller does it when there are enough of them.
 *
 * Who looks at sums has to settle before (tk_alloc_moves_settle).
 */
#ifndef TK_MODEL_MEMORY_ALLOC_MOVES_H
#define TK_MODEL_MEMORY_ALLOC_MOVES_H

#include "io/scratch/writebehind.h"

#include <stdbool.h>
#include <stdint.h>

struct tk_alloc_groups;

/* What kind of move it is; sums of sites are kept for each combination of these. */
enum tk_alloc_move_kind {
    TK_ALLOC_MOVE_OUT = 1,     /* freed, else allocated */
    TK_ALLOC_MOVE_REALLOC = 2, /* by a reallocation */
    TK_ALLOC_MOVE_APART = 4, /* freed soon after, or allocated outside of game frames; in the selected time */
    TK_ALLOC_MOVE_KINDS = 8,
    TK_ALLOC_MOVE_ONLY =
        8 /* neither allocated nor freed, but alive in its groups from now on, or no longer */
};

struct tk_alloc_move {
    uint64_t size;               /* bytes */
    uint32_t site, stack, sized; /* of the block (live_blocks.h) */
    uint32_t kind;               /* of enum tk_alloc_move_kind */
};

/* For parts that need more of a move: when it was, in cycles, and in which game frame, from 1; 0: in none. */
struct tk_alloc_when {
    int64_t time;
    uint64_t frame;
};

struct tk_alloc_batch {
    struct tk_alloc_move *moves; /* owned */
    struct tk_alloc_when *when;  /* owned; NULL where no part needs it */
    size_t n;
    bool selected; /* they are in the selected time */
};

enum { TK_ALLOC_BATCHES = 4 };

/* Zeroed, there are no moves, and nothing to settle or close. */
struct tk_alloc_moves {
    struct tk_alloc_groups *of; /* whose sums they change */
    struct tk_writebehind behind;
    struct tk_alloc_batch batches[TK_ALLOC_BATCHES];
    struct tk_alloc_batch *filling; /* NULL: none yet */
    size_t room;                    /* moves in a batch */
};

/* The sums of groups, which stay where they are from now on, are kept by a pool, which is borrowed. */
void tk_alloc_moves_open(struct tk_alloc_groups *of, struct tk_pool *pool);

/* Gives the batch that is full away, if there is one, and begins another. 0, or -1 if out of memory. */
int tk_alloc_moves_turn(struct tk_alloc_moves *m);

/* One more move, all of which is to be filled in; NULL if out of memory. */
static inline struct tk_alloc_move *tk_alloc_moves_next(struct tk_alloc_moves *m)
{
    if ((!m->filling || m->filling->n == m->room) && tk_alloc_moves_turn(m))
        return NULL;
    return &m->filling->moves[m->filling->n++];
}

/* More of that move, to be filled in; NULL where no part needs it. */
static inline struct tk_alloc_when *tk_alloc_moves_when(const struct tk_alloc_moves *m)
{
    return m->filling->when ? &m->filling->when[m->filling->n - 1] : NULL;
}

/* All moves so far are in the sums when this returns. */
void tk_alloc_moves_settle(struct tk_alloc_moves *m);

/* Settles, and releases what only moves need. */
void tk_alloc_moves_close(struct tk_alloc_moves *m);

#endif
