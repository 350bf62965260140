/*
 * Identity of a run being collected: the session that its capture states. Part of collect.c.
 */
#ifndef TK_COMPARE_COLLECT_COLLECT_SESSION_H
#define TK_COMPARE_COLLECT_COLLECT_SESSION_H

#include "compare/baseline/baseline.h"
#include "query/context.h"
#include "query/dict.h"

/* Gives the run the session items that are texts or whole numbers, as texts, and `time`, when it was
 * recorded, where that is known; of a host that is told in lines its parts. 0, or -1 if out of memory. */
int tk_collect_session(struct tk_base_run *run, const struct tk_dict *dict);

/* Notes of a run whose duration is known that it ended in a crash, or in a fatal error: a message (which is
 * NUL-terminated) at fatal_at, in the last second and with no more than two whole frames behind it. 0, or -1.
 */
int tk_collect_end(struct tk_base_run *run, const struct tk_frames *frames, const char *fatal,
                   int64_t fatal_at);

#endif
