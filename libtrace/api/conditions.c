/*
 * Conditions on rows that are kept already. The function of chapter 8 that needs what queries have; the
 * others are in table/result.c.
 */
#include "base/given.h"
#include "base/struct_size.h"
#include "query/row_filter.h"
#include "table/result.h"

#include <stdlib.h>

static bool passes(void *ctx, const struct tk_cell *row)
{
    return tk_row_filter_pass(ctx, row);
}

static int filter_table(struct tk_result *result, size_t at, const struct tk_query *query, struct tk_err *err)
{
    const struct tk_table *table = tk_result_table(result, at, NULL);
    struct tk_row_filter filter;
    int rc = tk_row_filter_init(&filter, table, query, err);
    if (rc == TK_OK && filter.n)
        rc = tk_result_keep(result, at, passes, &filter, err);
    if (rc == TK_OK && filter.n && query->filtered)
        query->filtered(query->filtered_ctx, table->name, filter.kept, filter.rows);
    tk_row_filter_release(&filter);
    return rc;
}

int tk_result_where(struct tk_result *result, const struct tk_query *query, struct tk_err *err)
{
    TK_GIVEN(err, result, query);
    const size_t n = tk_result_count(result);
    struct tk_query whole = {0};
    int rc = tk_struct_size_take(&whole, sizeof whole, query, "the query", err);
    if (rc < 0)
        return rc;
    const struct tk_query conditions = {.size = sizeof conditions,
                                        .where = whole.where,
                                        .n_where = whole.n_where,
                                        .filtered = whole.filtered,
                                        .filtered_ctx = whole.filtered_ctx};
    const struct tk_table **tables = calloc(n + 1, sizeof *tables);
    if (!tables)
        return tk_err_nomem(err, "the conditions of a result");
    for (size_t i = 0; i < n; i++)
        tables[i] = tk_result_table(result, i, NULL);
    rc = tk_row_filter_check(&conditions, tables, n, err);
    for (size_t i = 0; i < n && rc == TK_OK; i++)
        rc = filter_table(result, i, &conditions, err);
    free((void *)tables);
    return rc;
}
