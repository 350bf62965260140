/*
 * What the files of this folder share, and nobody else.
 */
#ifndef TK_COMPARE_VERDICT_VERDICT_IN_H
#define TK_COMPARE_VERDICT_VERDICT_IN_H

#include <stddef.h>

/* A block: its rate a frame (or a value), and how many of these it stands for. */
struct tk_rate {
    double v, weight;
};

/* clip.c: what rates beyond it count as; infinite where nothing is clipped. Changes their order. */
double tk_rates_limit(struct tk_rate *v, size_t n);

/* The mean of n rates with those beyond the limit clipped; 0 for none. The same. */
double tk_rates_clipped_mean(struct tk_rate *v, size_t n);

#endif
