/*
 * Table `histogram`: how many calls of a timer took how long.
 */
#ifndef TK_STATS_HISTOGRAM_H
#define TK_STATS_HISTOGRAM_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_histogram;

#endif
