/*
 * Summaries of calls by name: count, first, last, extremes, mean and deviation. The preset summarize fills
 * and writes them.
 */
#ifndef TK_EXPORT_PRESET_SUMMARY_H
#define TK_EXPORT_PRESET_SUMMARY_H

#include "base/hash.h"
#include "base/text/intern.h"
#include "base/vec.h"

#include <stdbool.h>

/* Times in cycles since the start, lengths in cycles but where said. */
struct tk_summary {
    const struct tk_str *name;
    uint64_t count;
    int64_t first_begin, first_end, last_begin, last_end; /* by begin, by end */
    int64_t first_length, last_length, total, min, max;
    double mean,
        squares; /* of lengths in seconds so far: the mean, and the squares of what differs from it */
};

/* Zero-initialise to begin. */
struct tk_summaries {
    TK_VEC(struct tk_summary) v; /* in order of first appearance, then as sorted */
    struct tk_map index;         /* address of a name -> index; until sorted */
};

/* One that is summed up; its length need not be all from begin to end. */
struct tk_summand {
    int64_t begin, end, length;
    double seconds; /* the length */
};

/* Adds one. Names are compared by address. 0, or -1 without memory. */
int tk_summaries_add(struct tk_summaries *s, const struct tk_str *name, const struct tk_summand *one);

/* Adds all of one to another one. */
void tk_summary_merge(struct tk_summary *into, const struct tk_summary *from);

/* Greatest total first, then by name. */
int tk_summaries_sort(struct tk_summaries *s);

/* Of a sample: divided by one less than the count. 0 where that is nothing. */
double tk_summary_deviation(double squares, uint64_t count);

void tk_summaries_release(struct tk_summaries *s);

#endif
