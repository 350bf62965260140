/*
 * The runs of a history that others are to be compared with.
 */
#ifndef TK_COMPARE_BASELINE_BASE_OF_H
#define TK_COMPARE_BASELINE_BASE_OF_H

#include "compare/baseline/baseline.h"

/* As tk_baseline_base_of in tracekit.h. */
int tk_base_of(struct tk_baseline *history, const struct tk_baseline *like, const char *what,
               struct tk_err *err);

#endif
