/*
 * Tables `timers` (where the time went; a row a timer, or a row a timer and thread) and `gpu` (the same for
 * GPUs; a row a timer and queue).
 */
#ifndef TK_MODEL_TIMERS_TIMERS_H
#define TK_MODEL_TIMERS_TIMERS_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_timers;
extern const struct tk_builder tk_builder_gpu;

#endif
