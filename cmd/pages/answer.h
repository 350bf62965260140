/*
 * Answer: one table of a result, whose cells are requested by name. First pages are made from them.
 */
#ifndef TK_CMD_PAGES_ANSWER_H
#define TK_CMD_PAGES_ANSWER_H

#include "tracekit/sinks.h"

struct tk_answer {
    const struct tk_result *result; /* borrowed */
    const struct tk_table *table;   /* NULL: it is not there */
    size_t index, n_rows;
};

/* The table of that name, without rows where there is none. */
struct tk_answer tk_answer_find(const struct tk_result *result, const char *name);

/* A cell of a row, TK_NONE where there is no such column. row < n_rows. Lives as long as the result. */
const struct tk_cell *tk_answer_cell(const struct tk_answer *answer, size_t row, const char *column);

/* The same of any row. */
const struct tk_cell *tk_answer_cell_of(const struct tk_table *table, const struct tk_cell *row,
                                        const char *column);

/* Is a cell that text? */
bool tk_answer_is_text(const struct tk_cell *cell, const char *text);

#endif
