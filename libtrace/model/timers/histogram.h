/*
 * Table `histogram`: how many calls of a timer took how long.
 */
#ifndef TK_MODEL_TIMERS_HISTOGRAM_H
#define TK_MODEL_TIMERS_HISTOGRAM_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_histogram;

#endif
