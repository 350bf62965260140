/*
 * Table `slowest`: the single calls that took longest.
 */
#ifndef TK_MODEL_TIMERS_SLOWEST_H
#define TK_MODEL_TIMERS_SLOWEST_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_slowest;

#endif
