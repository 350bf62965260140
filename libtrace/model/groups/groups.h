/*
 * Table `groups`: timers by what threads, files, regions or frames their time lies in.
 */
#ifndef TK_MODEL_GROUPS_GROUPS_H
#define TK_MODEL_GROUPS_GROUPS_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_groups;

#endif
