/*
 * Recorded pictures of the runs of a comparison.
 */
#ifndef TK_COMPARE_API_RUN_PICTURES_H
#define TK_COMPARE_API_RUN_PICTURES_H

#include "compare/verdict/compare.h"

/* Copies those of the longest frames of a side to a comparison. TK_OK or TK_ENOMEM. */
int tk_comparison_take_pictures(struct tk_comparison *c, size_t side, const struct tk_baseline *b);

#endif
