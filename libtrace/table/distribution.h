/*
 * Distribution: what a number of whole values come to: how many, their sum, the least, the greatest, and
 * percentiles from a sketch, off by at most 0.8 %. Tables show it by way of query/distribution_cells.h.
 */
#ifndef TK_STATS_DISTRIBUTION_H
#define TK_STATS_DISTRIBUTION_H

#include "base/wrap.h"
#include "table/sketch.h"

#include <stdbool.h>

/* All zero: nothing yet. The sum wraps. */
struct tk_distribution {
    uint64_t count, total, min, max;
    struct tk_sketch sketch; /* TK_SKETCH_CALLS */
    bool is_signed;          /* total, min and max are int64_t */
};

/* Adds a value. 0, or -1 if out of memory. */
int tk_distribution_add(struct tk_distribution *d, uint64_t value);

/* Adds a length, and makes it a distribution of signed values: in damaged captures some are below 0. Those
 * count as 0 in the percentiles. */
int tk_distribution_add_length(struct tk_distribution *d, int64_t length);

/* Adds the length from one time to another. */
static inline int tk_distribution_add_between(struct tk_distribution *d, int64_t begin, int64_t end)
{
    return tk_distribution_add_length(d, tk_wrap_sub(end, begin));
}

/* The percentile share / of by nearest rank, inside the least and the greatest. With values. */
uint64_t tk_distribution_percentile(const struct tk_distribution *d, unsigned share, unsigned of);

void tk_distribution_release(struct tk_distribution *d);

#endif
