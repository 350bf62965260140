/*
 * Table `hitches`: game frames that took too long, and which timers made them so.
 */
#ifndef TK_MODEL_HITCHES_HITCHES_H
#define TK_MODEL_HITCHES_HITCHES_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_hitches;

#endif
