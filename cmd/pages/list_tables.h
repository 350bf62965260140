/*
 * The list of all tables and their columns, as a table.
 */
#ifndef TK_CMD_SHOW_LIST_TABLES_H
#define TK_CMD_SHOW_LIST_TABLES_H

#include "args/opt.h"
#include "tracekit/captures.h"
#include "tracekit/tables.h"

/* Sends it. ctx: a struct tk_opt_list of the tables that are requested, empty for all; trace is not looked
 * at. As tk_report.produce. */
int tk_list_tables(void *ctx, struct tk_trace *trace, const struct tk_sink *sink, struct tk_err *err);

#endif
