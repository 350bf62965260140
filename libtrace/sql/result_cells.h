/*
 * Cells of results, and the kinds of columns that only their values tell.
 */
#ifndef TK_SQL_RESULT_CELLS_H
#define TK_SQL_RESULT_CELLS_H

#include "base/arena.h"
#include "sql/tables/engine.h"
#include "table/cell.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Column i of the row that a statement is at, as a cell of a column of this kind (enum tk_kind; TK_NONE: not
 * known yet). Texts are copied to the arena. TK_OK, TK_ENOMEM. */
int tk_sql_result_cell(struct tk_cell *cell, struct tk_arena *texts, sqlite3_stmt *stmt, int i, uint8_t kind);

/* The kind of a column whose first n cells are cells[0], cells[stride], ...; all of them were made with
 * `known`. Where that is TK_NONE the values decide the kind: bytes among texts become texts, an integer among
 * reals stays one, and NULLs alone count as texts. of_function: known is that of the column a function is of,
 * whose mean may have a fraction. */
enum tk_kind tk_sql_result_kind(struct tk_cell *cells, size_t n, size_t stride, enum tk_kind known,
                                bool of_function);

/* Is one of the cells more than NULL? */
bool tk_sql_result_tells(const struct tk_cell *cells, size_t n, size_t stride);

#endif
