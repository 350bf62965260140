/*
 * Identity of a run being collected: the session that its capture states. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_SESSION_H
#define TK_COMPARE_COLLECT_COLLECT_SESSION_H

#include "compare/baseline/baseline.h"
#include "query/dict.h"

/* Gives the run the session items that are texts or whole numbers, as texts, and `time`, when it was
 * recorded, where that is known. 0, or -1 when memory is out. */
int tk_collect_session(struct tk_base_run *run, const struct tk_dict *dict);

#endif
