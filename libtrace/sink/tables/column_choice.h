/*
 * Which columns of a table are left out on a narrow terminal, and the colours of cells. Used by the format
 * `table` only.
 */
#ifndef TK_SINK_TABLES_COLUMN_CHOICE_H
#define TK_SINK_TABLES_COLUMN_CHOICE_H

#include "sink/tables/layout.h"
#include "tracekit.h"

#define TK_COLUMN_CHOICE_FAINT "\x1b[2m"

struct tk_column_choice {
    int by;          /* the column by which people read the table; -1: none */
    double greatest; /* value in it */
};

/* Is it a number that only tells things apart, or where they are? Such columns are the first to go. */
bool tk_column_choice_is_id(const char *name);

/*
 * What the rows so far (of the first table of `rows`) say: `keep` of the columns in the layout (empty ones
 * are spared first, then those of zeros, texts beside the first, numbers; never the first text and the column
 * by which the table is read), and what colours are measured by.
 */
void tk_column_choice_measure(struct tk_column_choice *look, struct tk_layout *layout,
                              const struct tk_table *table, const struct tk_result *rows);

/* The escape sequence of a cell, or NULL: faint for zeros, red for damage; where the table is read by it, red
 * for half of the greatest value and more, yellow for a tenth and more. */
const char *tk_column_choice_colour(const struct tk_column_choice *look, const struct tk_table *table,
                                    uint32_t column, const struct tk_cell *cell);

#endif
