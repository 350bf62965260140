/*
 * Table `tasks`: waiting and running of tasks; a row a name.
 */
#ifndef TK_MODEL_TASKS_TASKS_H
#define TK_MODEL_TASKS_TASKS_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_tasks;

#endif
