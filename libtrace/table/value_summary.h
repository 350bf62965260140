/*
 * Figures: what the values of one counter come to. Sums of whole numbers are exact; percentiles are nearest
 * rank from sketches, off by at most 0.4 %, and exact for whole numbers below 256. Values that are no numbers
 * (NaN) are counted and displayed as first and last, and left out of everything else.
 */
#ifndef TK_TABLE_VALUE_SUMMARY_H
#define TK_TABLE_VALUE_SUMMARY_H

#include "base/wrap.h"
#include "fact/fact.h"
#include "table/sketch.h"

#include <stdbool.h>

/* A sum: whole numbers in 128 bits, reals with what rounding took away, great ones apart so that none
 * overflows. All zero: nothing yet. */
struct tk_sum {
    uint64_t low;
    int64_t high;
    double real, lost;
    double great, great_lost; /* of numbers from 2^800 on, divided by 2^200 */
    bool any_real;
};

void tk_sum_add(struct tk_sum *sum, struct tk_number number);
void tk_sum_merge(struct tk_sum *sum, const struct tk_sum *from);
double tk_sum_real(const struct tk_sum *sum);

/* Adds a real `times` times (in one step). */
void tk_sum_add_times(struct tk_sum *sum, double r, uint64_t times);

/* The sum divided by n > 0; finite where all numbers were, as long as n is no less than how many there were.
 */
double tk_sum_mean(const struct tk_sum *sum, uint64_t n);

/* The sum as a number: whole where all of it was and it fits. */
struct tk_number tk_sum_number(const struct tk_sum *sum);

enum { TK_VALUE_PAGES = 5 };

/* How often which sizes occurred: more buckets than one sketch has. All zero: none yet. */
struct tk_value_sketch {
    struct tk_sketch pages[TK_VALUE_PAGES];
};

/* All zero: no values yet. */
struct tk_value_summary {
    uint64_t count;
    struct tk_number first, last;
    struct tk_number min, max; /* with numbers > 0 */
    uint64_t numbers;          /* values that are numbers */
    uint64_t whole;            /* of these: whole ones */
    uint64_t zeros;
    struct tk_sum total;
    struct tk_value_sketch above, below; /* sizes of positive and negative values */

    /* as a step function: each value holds until the next */
    bool stepping;
    double step;   /* the value that holds */
    int64_t since; /* selected time before it */
    struct tk_sum weighted;
    uint64_t weight;

    /* by frame */
    bool in_frame;
    uint32_t frame;
    struct tk_sum frame_sum, frames_sum; /* of the last frame, of all */
    struct tk_number frame_max;
    bool any_frame;
};

/* Adds a value. 0, or -1 if out of memory. */
int tk_value_summary_add(struct tk_value_summary *f, struct tk_number value);

/* A value holds from `now` (selected time before it) on. */
void tk_value_summary_step(struct tk_value_summary *f, struct tk_number value, int64_t now);

/* Nothing holds any longer from `now` on. */
void tk_value_summary_stop(struct tk_value_summary *f, int64_t now);

/* Adds to the sum of a frame; frames come in order. */
void tk_value_summary_frame(struct tk_value_summary *f, uint32_t frame, struct tk_number given);

/* Closes the last frame. */
void tk_value_summary_close_frame(struct tk_value_summary *f);

/* Percentile share / of; numbers > 0. */
struct tk_number tk_value_summary_percentile(const struct tk_value_summary *f, unsigned share, unsigned of);

void tk_value_summary_release(struct tk_value_summary *f);

/*
 * Distribution: what a number of whole values come to: how many, their sum, the least, the greatest, and
 * percentiles from a sketch, off by at most 0.8 %. Tables show it by way of query/context_cells.h.
 */

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
