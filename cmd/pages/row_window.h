/*
 * Some of the rows of a table on their way to a writer: those whose number in one column is from one value up
 * to another. For commands that show again and again what has been added.
 */
#ifndef TK_CMD_SHOW_ROW_WINDOW_H
#define TK_CMD_SHOW_ROW_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <tracekit.h>

struct tk_row_window {
    const struct tk_sink *to; /* borrowed */
    const char *column;       /* of the number */
    bool hides;               /* it is the last column, and not passed on */
    uint64_t from, until;     /* what is passed on; until: exclusive */
    int at;                   /* the column in the table under way */
    struct tk_table table;    /* as it is passed on */
};

/* The sink that passes them on. The state has its column and bounds already. */
struct tk_sink tk_row_window_sink(struct tk_row_window *window, const struct tk_sink *to);

#endif
