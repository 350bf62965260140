/*
 * Table `locks`: waiting for locks; a row a lock, thread and mode.
 */
#ifndef TK_MODEL_TASKS_LOCKS_H
#define TK_MODEL_TASKS_LOCKS_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_locks;

#endif
