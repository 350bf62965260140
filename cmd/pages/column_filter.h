/*
 * Show: tables of a result on their way to a writer, with columns left out or marked.
 */
#ifndef TK_CMD_SHOW_COLUMN_FILTER_H
#define TK_CMD_SHOW_COLUMN_FILTER_H

#include "tracekit/sinks.h"

struct tk_column_filter {
    bool bare;                /* without the columns that only people see unasked */
    bool usual;               /* without those that nobody sees unasked */
    const char *const *hide;  /* NULL-terminated: columns that are left out; or NULL */
    const char *const *least; /* NULL-terminated: columns whose values are lower bounds; or NULL */
};

/* Sends a table of a result to a sink. TK_OK, TK_ENOMEM or what the sink said. */
int tk_column_filter_table(const struct tk_result *result, size_t table, const struct tk_column_filter *show,
                           const struct tk_sink *sink, struct tk_err *err);

/* What such a sink works with; released when it was used. */
struct tk_column_filtering {
    const struct tk_column_filter *show;
    const struct tk_sink *to;
    struct tk_table table;     /* as it is displayed */
    struct tk_column *columns; /* owned, as the others */
    uint32_t *from;
    struct tk_cell *row;
};

/* A sink that passes the tables that it is sent on to another one likewise. */
struct tk_sink tk_column_filter_sink(struct tk_column_filtering *f, const struct tk_column_filter *show,
                                     const struct tk_sink *to);

void tk_column_filtering_release(struct tk_column_filtering *f);

#endif
