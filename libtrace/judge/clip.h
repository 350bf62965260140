/*
 * Clipping: what single frames, or blocks of frames, have far above the others counts as a limit.
 */
#ifndef TK_JUDGE_CLIP_H
#define TK_JUDGE_CLIP_H

#include <stddef.h>

/* A frame or a block: its rate a frame (or a value), and how many of these it stands for. */
struct tk_rate {
    double v, weight;
};

/* What rates beyond it count as; infinite where nothing is clipped. Changes their order. */
double tk_rates_limit(struct tk_rate *v, size_t n);

/* The mean of n rates with those beyond the limit clipped; 0 for none. The same. */
double tk_rates_clipped_mean(struct tk_rate *v, size_t n);

/* The one of a rank, from 0 for the least. The same. */
double tk_rates_ranked(struct tk_rate *v, size_t n, size_t rank);

#endif
