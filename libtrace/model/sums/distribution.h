/*
 * Spread: what a number of lengths come to: how many, their sum, the least, the greatest, and percentiles.
 */
#ifndef TK_MODEL_SUMS_DISTRIBUTION_H
#define TK_MODEL_SUMS_DISTRIBUTION_H

#include "base/wrap.h"
#include "query/context_cells.h"
#include "stats/sketch.h"

/* In cycles. All zero: nothing yet. */
struct tk_distribution {
    uint64_t count;
    int64_t total, min, max;
    struct tk_sketch sketch;
};

/* Adds a length. 0, or -1 when memory is out. */
int tk_distribution_add(struct tk_distribution *s, int64_t length);

/* Adds the length from one time to another. */
static inline int tk_distribution_add_between(struct tk_distribution *s, int64_t begin, int64_t end)
{
    return tk_distribution_add(s, tk_wrap_sub(end, begin));
}

/* Seven cells, in the unit of the query: total, min, max, mean, median, p95, p99; without a length only the
 * first has a value. */
void tk_distribution_fill(const struct tk_query_context *view, const struct tk_distribution *s,
                          struct tk_cell *cells);

void tk_distribution_release(struct tk_distribution *s);

#endif
