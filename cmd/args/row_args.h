/*
 * Rows: the options that choose rows of tables by their values, and how many rows match.
 */
#ifndef TK_CMD_ARGS_ROW_ARGS_H
#define TK_CMD_ARGS_ROW_ARGS_H

#include "args/opt.h"

#include <tracekit.h>

struct tk_row_args {
    struct tk_opt_list where, counters, logs;
    const char *callstack;
};

/* The first is --where alone; the short forms follow. */
#define TK_ROW_COUNT       4
#define TK_ROW_COUNT_WHERE 1

extern const struct tk_opt tk_row_options[TK_ROW_COUNT];

struct tk_row_filtering {
    struct tk_opt_list conditions; /* owned: those of the query */
    const char *program;
    bool quiet;
    bool each; /* tell of each table; else only of those that are empty */
};

/* Fills in the query's part, and adds the tables of short forms where none is named. false if out of
 * memory; release the conditions in any case. */
bool tk_row_fill(struct tk_row_filtering *f, struct tk_query *query, const struct tk_row_args *args,
                 struct tk_opt_list *tables);

#endif
