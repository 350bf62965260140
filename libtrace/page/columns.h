/*
 * Columns: rows of a result as JSON, a column at a time, as the tables of page/tables.js take them. Lists of
 * pages and answers of the viewer are made so.
 */
#ifndef TK_REPORT_ENCODE_COLUMNS_H
#define TK_REPORT_ENCODE_COLUMNS_H

#include "page/markup.h"

/*
 * Appends {"rows": n, "columns": [...], "names": [...]} of the first n rows of the first table and its
 * columns `at` (n_at of them). Cells are numbers, numbers of names, or nothing: null, and -1 for texts. What
 * is neither number nor text is a text as people read it. names_most: as tk_names_put. TK_OK or TK_ENOMEM.
 */
int tk_columns_put(const struct tk_result *rows, const int *at, size_t n_at, size_t n, size_t names_most,
                   struct tk_markup *m);

#endif
