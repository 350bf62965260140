/*
 * Batch: facts and scope runs of one step of a reading, with the memory that they point to.
 */
#ifndef TK_FORMAT_UTRACE_FEED_BATCH_H
#define TK_FORMAT_UTRACE_FEED_BATCH_H

#include "base/arena.h"
#include "base/vec.h"
#include "fact/fact.h"
#include "base/health/health.h"

struct tk_ut_chunk;

/* A batch in the making. */
struct tk_ut_batch {
    TK_VEC(struct tk_fact) facts;
    TK_VEC(struct tk_scope_run) runs;
    struct tk_arena arena;               /* texts, records, values of this batch */
    struct tk_arena columns;             /* scope runs that were joined */
    TK_VEC(struct tk_ut_chunk *) chunks; /* of the scopes: owned; n_chunks of them in use */
    size_t n_chunks;
    void (*free_chunk)(struct tk_ut_chunk *chunk); /* set by who adds chunks */
    struct tk_health health;                       /* noted while it was made */
    size_t first_packet, next_packet;              /* made of these packets, in file order */
};

/* Empties a batch for reuse; what it noted must have been taken. */
void tk_ut_batch_clear(struct tk_ut_batch *out);
void tk_ut_batch_release(struct tk_ut_batch *out);

#endif
