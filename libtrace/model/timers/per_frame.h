/*
 * Table `per_frame`: what timers spent in each game frame.
 */
#ifndef TK_MODEL_TIMERS_PER_FRAME_H
#define TK_MODEL_TIMERS_PER_FRAME_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_per_frame;

#endif
