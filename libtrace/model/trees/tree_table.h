/*
 * Tables `tree`, `callers`, `callees`: what was spent on which stack of timers.
 */
#ifndef TK_MODEL_TREES_TREE_TABLE_H
#define TK_MODEL_TREES_TREE_TABLE_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_tree;
extern const struct tk_builder tk_builder_callers;
extern const struct tk_builder tk_builder_callees;

#endif
