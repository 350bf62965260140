/*
 * Sizes: how many whole numbers there are, their sum, ends and percentiles.
 */
#ifndef TK_STATS_SIZE_DISTRIBUTION_H
#define TK_STATS_SIZE_DISTRIBUTION_H

#include "stats/sketch.h"

/* All zero: no values. Sums wrap. */
struct tk_size_distribution {
    uint64_t count, sum, min, max;
    struct tk_sketch values;
};

/* Adds a value. 0, or -1 when memory is out. */
static inline int tk_size_distribution_add(struct tk_size_distribution *s, uint64_t value)
{
    if (!s->count)
        tk_sketch_init(&s->values, TK_SKETCH_CALLS);
    if (!s->count || value < s->min)
        s->min = value;
    if (!s->count || value > s->max)
        s->max = value;
    s->count++;
    s->sum += value;
    return tk_sketch_add(&s->values, TK_SKETCH_CALLS, value);
}

/* The value that `share` of 100 values do not exceed; inside min and max. */
static inline uint64_t tk_size_distribution_percentile(const struct tk_size_distribution *s, unsigned share)
{
    uint64_t value = tk_sketch_ranked(&s->values, tk_sketch_rank(s->count, share, 100));
    return value < s->min ? s->min : value > s->max ? s->max : value;
}

static inline void tk_size_distribution_release(struct tk_size_distribution *s)
{
    tk_sketch_release(&s->values);
}

#endif
