/*
 * The last time of a capture, for edits that end what has no end.
 */
#ifndef TK_EDIT_LAST_TIME_H
#define TK_EDIT_LAST_TIME_H

#include "fact/fact.h"
#include "tracekit.h"

/* In cycles since the start of the clock, rounded up; 0 where nothing has a time. As tk_query_run. */
int tk_edit_last_time(struct tk_trace *trace, const struct tk_fact_clock *clock, int64_t *last,
                      struct tk_err *err);

#endif
