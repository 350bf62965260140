/*
 * Thin counts: the counters of a thin sketch (thin_sketch.h), and what is read from them. Half a byte for
 * each bucket; and a list of buckets, in order, each of which stands for 16 values more.
 */
#ifndef TK_STATS_THIN_COUNTS_H
#define TK_STATS_THIN_COUNTS_H

#include "table/sketch.h"

#define TK_THIN_HALF 15u /* the most that half a byte holds */
#define TK_THIN_FULL 16u /* values of a place in the list */

/* The list. */
static inline uint16_t *tk_thin_counts_full(const struct tk_sketch *s)
{
    return (uint16_t *)(void *)(s->block->counts + s->range / 2);
}

/* The counter of a bucket, `at` from the first on. */
static inline uint32_t tk_thin_counts_half(const struct tk_sketch *s, uint32_t at)
{
    return (uint32_t)s->block->counts[at / 2] >> at % 2 * 4 & TK_THIN_HALF;
}

/* The first place in the list whose bucket is not before one. */
uint32_t tk_thin_counts_place(const struct tk_sketch *s, uint32_t bucket);

/* How many values a bucket has. */
uint64_t tk_thin_counts_at(const struct tk_sketch *s, uint32_t bucket);

/* The bucket, counted from the first on, that has the value of a rank; the range where there are fewer. */
uint32_t tk_thin_counts_ranked(const struct tk_sketch *s, uint64_t rank);

#endif
