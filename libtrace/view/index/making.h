/*
 * One reading of a capture for its index, while it is under way. build.c asks for readings, reading.c takes
 * what comes, marks.c notes where that stands.
 */
#ifndef TK_INDEX_MAKING_H
#define TK_INDEX_MAKING_H

#include "base/hash.h"
#include "view/index/index_internal.h"
#include "query/context.h"

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

#endif
