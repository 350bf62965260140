/*
 * Table `locks`: waiting for locks; a row a lock, thread and mode.
 */
#ifndef TK_STATS_LOCKS_H
#define TK_STATS_LOCKS_H

#include "query/builder.h"

extern const struct tk_builder tk_builder_locks;

#endif
