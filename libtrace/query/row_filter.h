/*
 * Row filter: which rows of a table the conditions of a query let through. It sits between the rows of a
 * builder and their projection (emit.c).
 */
#ifndef TK_QUERY_ROW_FILTER_H
#define TK_QUERY_ROW_FILTER_H

#include "query/condition.h"
#include "tracekit.h"

struct tk_row_filter_part;

struct tk_row_filter {
    struct tk_row_filter_part *parts; /* owned: the conditions that are about this table */
    size_t n;
    uint64_t mask; /* bit i: column i of the full table is compared */
    bool cycles;
    uint64_t rows, kept; /* so far */
};

/*
 * For the rows of a full table. Conditions about other tables are left out. A name that is no column is a
 * field of the record in a row, where rows have one. TK_OK, TK_ENOMEM; TK_EMATCH for a column that the only
 * table does not have; TK_EUSAGE for a condition that makes no sense there. To be released in any case.
 */
int tk_row_filter_init(struct tk_row_filter *f, const struct tk_table *full, const struct tk_query *query,
                       struct tk_err *err);

void tk_row_filter_release(struct tk_row_filter *f);

/* Does the row (cells of the full table) pass? Counts it. */
bool tk_row_filter_pass(struct tk_row_filter *f, const struct tk_cell *row);

/* Is each condition of the query about one of the tables (n) at least? TK_OK, TK_EMATCH or TK_EUSAGE. */
int tk_row_filter_check(const struct tk_query *query, const struct tk_table *const *tables, size_t n,
                        struct tk_err *err);

#endif
