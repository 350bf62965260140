/*
 * Table `running`: how long scopes were really executed; a row a timer, or a row a timer and thread.
 */
#ifndef TK_MODEL_EXECUTION_RUNNING_H
#define TK_MODEL_EXECUTION_RUNNING_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_running;

#endif
