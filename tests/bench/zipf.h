/*
 * Draws of ranks whose frequency falls as 1 / rank, in constant time (the alias method: every column of a
 * table holds at most two ranks, and together the columns hold each rank with its right share).
 */
#ifndef TK_BENCH_ZIPF_H
#define TK_BENCH_ZIPF_H

#include "random.h"

struct tk_zipf_column {
    uint32_t share; /* of the column's own rank, in units of 2^-32 */
    uint32_t other; /* the rank that has the rest */
};

struct tk_zipf {
    struct tk_zipf_column *columns; /* owned */
    uint32_t count;
};

/* Prepares draws of 0 .. count - 1; count must not be 0. Returns 0, or -1 without memory. */
int tk_zipf_init(struct tk_zipf *zipf, uint32_t count);
void tk_zipf_release(struct tk_zipf *zipf);

static inline uint32_t tk_zipf_draw(const struct tk_zipf *zipf, struct tk_random *random)
{
    uint64_t bits = tk_random_next(random);
    uint32_t column = (uint32_t)(((bits >> 32) * zipf->count) >> 32);

    return (uint32_t)bits <= zipf->columns[column].share ? column : zipf->columns[column].other;
}

#endif
