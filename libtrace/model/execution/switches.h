/*
 * Tables `switches` (a row a thread of the operating system) and `cores` (a row a core).
 */
#ifndef TK_MODEL_EXECUTION_SWITCHES_H
#define TK_MODEL_EXECUTION_SWITCHES_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_switches;
extern const struct tk_builder tk_builder_cores;

#endif
