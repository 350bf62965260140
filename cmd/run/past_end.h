/*
 * Past end: a selection that begins behind the end of a capture.
 */
#ifndef TK_CMD_RUN_PAST_END_H
#define TK_CMD_RUN_PAST_END_H

#include <tracekit.h>

/* Does the capture reach to where the selection begins? TK_OK; TK_EMATCH with its end; or as tk_query_run.
 * Reads the ends of the capture, and all of it only where these do not reach so far. */
int tk_past_end_check(struct tk_trace *trace, const struct tk_selection *select, struct tk_err *err);

#endif
