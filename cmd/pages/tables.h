/*
 * Tables on their way to a writer: with columns left out or marked, threads without scopes in one line, trees
 * indented; and the list of all tables.
 */
#ifndef TK_PAGES_TABLES_H
#define TK_PAGES_TABLES_H

#include "args/opt.h"
#include "tracekit/captures.h"
#include "tracekit/sinks.h"
#include "tracekit/tables.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Show: tables of a result on their way to a writer, with columns left out or marked.
 */

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

/*
 * The list of all tables and their columns, as a table.
 */

/* Sends it. ctx: a struct tk_opt_list of the tables that are requested, empty for all; trace is not looked
 * at. As tk_report.produce. */
int tk_list_tables(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

#endif
