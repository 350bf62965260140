/*
 * Threads without scopes: for people they are one line, not a row each. trace-stats uses it for the table
 * `threads`.
 */
#ifndef TK_CMD_SHOW_IDLE_THREADS_H
#define TK_CMD_SHOW_IDLE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <tracekit.h>

/* Where a table of a result is `threads`, the busiest first, leaves out the rows at its end that have no
 * scopes, and names them in a message. Rows stay where no thread has scopes. */
void tk_idle_threads_fold(struct tk_result *result, size_t index, const char *program);

#endif
