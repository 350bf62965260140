/*
 * Threads without scopes: for people they are one line, not a row each. trace-stats uses it for the table
 * `threads`.
 */
#ifndef TK_PAGES_THREAD_ROWS_H
#define TK_PAGES_THREAD_ROWS_H

#include "tracekit/sinks.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Threads without scopes: for people they are one line, not a row each. trace-stats uses it for the table
 * `threads`.
 */

/* Where a table of a result is `threads`, the busiest first, leaves out the rows at its end that have no
 * scopes, and names them in a message. Rows stay where no thread has scopes. */
void tk_idle_threads_fold(struct tk_result *result, size_t index, const char *program);

/*
 * Indent: call trees for people: instead of columns with the depth and the numbers of the rows, names are
 * indented.
 */

struct tk_indent {
    const struct tk_sink *to;  /* borrowed */
    struct tk_table table;     /* of the table under way, as it is passed on */
    struct tk_column *columns; /* owned, as the others */
    uint32_t *from;            /* columns that stay */
    struct tk_cell *row;
    char *name;
    size_t name_cap;
    uint32_t depth, timer; /* columns; depth UINT32_MAX: no tree, it passes as it is */
};

/* The sink that passes tables on to another one. Release the state when all is done. */
struct tk_sink tk_indent_sink(struct tk_indent *indent, const struct tk_sink *to);
void tk_indent_release(struct tk_indent *indent);

#endif
