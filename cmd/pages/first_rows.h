/*
 * The first rows of a table on their way to a writer. After the last of them the query is stopped, so that a
 * large capture is not read to its end.
 */
#ifndef TK_CMD_SHOW_FIRST_ROWS_H
#define TK_CMD_SHOW_FIRST_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <tracekit.h>

struct tk_first_rows {
    const struct tk_sink *to; /* borrowed */
    uint64_t left;            /* rows that may still pass */
    bool stopped;             /* the table has been ended, and the query told to stop */
};

/* The sink that passes on the first `most` rows (at least 1). */
struct tk_sink tk_first_rows_sink(struct tk_first_rows *first, uint64_t most, const struct tk_sink *to);

/* What the query with that sink returned: TK_OK where the sink stopped it. */
int tk_first_rows_end(const struct tk_first_rows *first, int rc);

#endif
