/*
 * Groups of the rows of a result (tk_result_group of tracekit.h).
 */
#include "base/given.h"
#include "table/kept_table.h"
#include "table/result.h"
#include "table/row_groups.h"

#include <stdlib.h>

/* The keys of all rows, owned by the caller; NULL: out of memory. */
static uint64_t *group_keys(const struct tk_kept_table *t, bool packs, const uint32_t *columns, size_t n)
{
    uint64_t *keys = malloc((t->n_rows + 1) * sizeof *keys);
    struct tk_cell *row = malloc((t->table->n_columns + 1) * sizeof *row);
    for (size_t i = 0, end = 0; keys && row && i < t->n_rows; i++) {
        if (packs)
            end = tk_packed_rows_get(&t->packed, tk_packed_rows_at(&t->packed, i, end), row,
                                     t->table->n_columns);
        keys[i] = tk_row_groups_key(packs ? row : tk_kept_row(t, i), columns, n);
    }
    if (!row) {
        free(keys);
        keys = NULL;
    }
    free(row);
    return keys;
}

static int take_rows(struct tk_kept_table *t, const size_t *order, size_t kept)
{
    const struct tk_cell **rows = malloc((kept + 1) * sizeof *rows);
    if (!rows)
        return -1;
    for (size_t i = 0; i < kept; i++)
        rows[i] = tk_kept_row(t, order[i]);
    free(t->order);
    t->order = rows;
    return 0;
}

static int group_table(struct tk_kept_table *t, bool packs, const uint32_t *columns, size_t n, size_t most)
{
    size_t *order = malloc((t->n_rows + 1) * sizeof *order), kept = SIZE_MAX;
    uint64_t *keys = group_keys(t, packs, columns, n);
    if (order && keys)
        kept = tk_row_groups_order(keys, t->n_rows, most, order);
    free(keys);
    int rc = kept == SIZE_MAX ? -1
             : packs          ? tk_packed_rows_take(&t->packed, t->table->n_columns, t->n_rows, order, kept)
                              : take_rows(t, order, kept);
    if (rc == 0)
        t->n_rows = kept;
    if (rc || !packs)
        free(order);
    return rc;
}

int tk_result_group(struct tk_result *result, size_t table, const char *const *columns, size_t n_columns,
                    size_t n, struct tk_err *err)
{
    TK_GIVEN(err, result);
    TK_TEXTS_GIVEN(err, columns, n_columns);
    struct tk_kept_table *t = &result->tables.v[table];
    uint32_t *places = malloc((n_columns + 1) * sizeof *places);
    int rc = places ? TK_OK : tk_err_nomem(err, "groups of rows");
    for (size_t i = 0; i < n_columns && rc == TK_OK; i++) {
        const int at = tk_table_column(t->table, columns[i]);
        if (at < 0)
            rc = tk_err_set(err, TK_EMATCH, "table '%s' has no column '%s'", t->table->name, columns[i]);
        places[i] = (uint32_t)at;
    }
    if (rc == TK_OK && group_table(t, result->packs, places, n_columns, n))
        rc = tk_err_nomem(err, "groups of rows");
    free(places);
    return rc;
}
