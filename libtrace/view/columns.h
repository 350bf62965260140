/*
 * Rows of tables as columns of an answer, with the timers of the index that they are about. Answers of tables
 * are made with it.
 */
#ifndef TK_VIEW_COLUMNS_H
#define TK_VIEW_COLUMNS_H

#include "view/answers.h"

/* The first n rows of the only table, all columns; those of TK_COL_EXTRA only where `extra`. TK_OK,
 * TK_ENOMEM. */
int tk_view_put_rows(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n, bool extra);

/* The same of the table of timers, of which there may be many: those columns that pages show. */
int tk_view_put_timers(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n);

/* Which timers of the index n rows are about, -1 for none, as pages cut names off and several timers have the
 * same. Without an index, and of tables that are about no timers, null. */
void tk_view_put_timer_ids(const struct tk_view_ask *ask, const struct tk_result *rows, size_t n);

#endif
