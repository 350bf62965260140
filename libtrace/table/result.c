/*
 * Results: a sink that keeps tables, to be sorted, cut and walked (tk_result_... of tracekit.h).
 *
 * Rows are cells in one block per table; an order is an array of pointers to rows, made when first sorted. Or
 * they are packed, and an order is an array of places.
 */
#include "base/given.h"
#include "base/vec.h"
#include "table/cell.h"
#include "table/sink.h"
#include "table/table_in.h"

#include <stdlib.h>
#include <string.h>

struct tk_kept_table {
    struct tk_table *table;       /* in the copier's arena */
    TK_VEC(struct tk_cell) cells; /* row after row */
    size_t n_rows;
    const struct tk_cell **order; /* owned: n_rows rows; NULL: as they came */
    struct tk_packed_rows packed; /* instead of cells and order, where the result packs */
};

struct tk_result {
    struct tk_copier copier;
    TK_VEC(struct tk_kept_table) tables;
    bool packs;
};

/* A row of a table that is not packed. */
static inline const struct tk_cell *tk_kept_row(const struct tk_kept_table *t, size_t row)
{
    return t->order ? t->order[row] : t->cells.v + row * t->table->n_columns;
}

/*
 * Groups of the rows of a result (tk_result_group of tracekit.h).
 */

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

#define REPLAY_ROWS 256

int tk_result_new(struct tk_result **out, struct tk_err *err)
{
    TK_GIVEN(err, out);
    *out = calloc(1, sizeof **out);
    return *out ? TK_OK : tk_err_nomem(err, "a result");
}

void tk_result_free(struct tk_result *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->tables.n; i++) {
        tk_vec_release(&r->tables.v[i].cells);
        free(r->tables.v[i].order);
        tk_packed_rows_release(&r->tables.v[i].packed);
    }
    tk_vec_release(&r->tables);
    tk_copier_release(&r->copier);
    free(r);
}

void tk_result_pack(struct tk_result *result)
{
    if (!result)
        return;
    result->packs |= result->tables.n == 0;
}

static int keep_begin(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_result *r = self;
    struct tk_kept_table kept = {.table = tk_copy_table(&r->copier, table)};
    tk_copier_forget(&r->copier);
    if (!kept.table || tk_vec_push(&r->tables, kept))
        return tk_err_nomem(err, "a table to keep");
    return TK_OK;
}

static int keep_row(struct tk_result *r, struct tk_kept_table *t, const struct tk_cell *row,
                    struct tk_err *err)
{
    size_t n = t->table->n_columns;
    struct tk_cell *out = t->cells.v + t->cells.n;
    for (size_t i = 0; i < n; i++) {
        const struct tk_cell *above = t->cells.n ? out + i - n : NULL;
        int rc = tk_copy_cell(&r->copier, &out[i], &row[i], above, err);
        if (rc)
            return rc;
    }
    t->cells.n += n;
    t->n_rows++;
    return TK_OK;
}

static int pack_rows(struct tk_result *r, struct tk_kept_table *t, const struct tk_rows *rows,
                     struct tk_err *err)
{
    const size_t columns = t->table->n_columns;
    int rc = TK_OK;
    free(t->packed.order);
    t->packed.order = NULL;
    for (size_t i = 0; i < rows->n && rc == TK_OK; i++) {
        rc = tk_packed_rows_add(&t->packed, &r->copier, rows->cells + i * columns, columns, err);
        t->n_rows += rc == TK_OK;
    }
    return rc;
}

static int keep_rows(void *self, const struct tk_table *table, const struct tk_rows *rows, struct tk_err *err)
{
    struct tk_result *r = self;
    if (r->tables.n == 0)
        return tk_err_set(err, TK_EUSAGE, "rows of table '%s' came before its begin", table->name);
    struct tk_kept_table *t = &r->tables.v[r->tables.n - 1];
    if (r->packs)
        return pack_rows(r, t, rows, err);
    if (tk_vec_reserve(&t->cells, t->cells.n + rows->n * t->table->n_columns))
        return tk_err_nomem(err, "rows to keep");
    free(t->order);
    t->order = NULL;
    for (size_t i = 0; i < rows->n; i++) {
        int rc = keep_row(r, t, rows->cells + i * t->table->n_columns, err);
        if (rc)
            return rc;
    }
    return TK_OK;
}

struct tk_sink tk_result_sink(struct tk_result *result)
{
    if (!result)
        return (struct tk_sink){0};
    return (struct tk_sink){.self = result, .begin = keep_begin, .rows = keep_rows};
}

size_t tk_result_count(const struct tk_result *result)
{
    if (!result)
        return 0;
    return result->tables.n;
}

const struct tk_table *tk_result_table(const struct tk_result *result, size_t table, size_t *n_rows)
{
    if (!result)
        return NULL;
    const struct tk_kept_table *t = &result->tables.v[table];
    if (n_rows)
        *n_rows = t->n_rows;
    return t->table;
}

const struct tk_cell *tk_result_row(const struct tk_result *result, size_t table, size_t row)
{
    if (!result)
        return NULL;
    return result->packs ? NULL : tk_kept_row(&result->tables.v[table], row);
}

const struct tk_cell *tk_result_cell(const struct tk_result *result, size_t table, size_t row, size_t column)
{
    if (!result)
        return NULL;
    if (table >= result->tables.n || result->packs)
        return NULL;
    const struct tk_kept_table *t = &result->tables.v[table];
    return row < t->n_rows && column < t->table->n_columns ? tk_kept_row(t, row) + column : NULL;
}

static int sort_table(struct tk_kept_table *t, const struct tk_row_order *o, struct tk_err *err)
{
    const struct tk_cell **rows = malloc((t->n_rows + 1) * sizeof *rows);
    const struct tk_cell **spare = malloc((t->n_rows + 1) * sizeof *spare);
    if (!rows || !spare) {
        free(rows);
        free(spare);
        return tk_err_nomem(err, "sorting");
    }
    for (size_t i = 0; i < t->n_rows; i++)
        rows[i] = tk_kept_row(t, i);
    free(t->order);
    t->order = tk_row_order_sort(o, rows, spare, t->n_rows);
    free(t->order == rows ? spare : rows);
    return TK_OK;
}

static int sort_packed(struct tk_kept_table *t, const struct tk_row_order *o, struct tk_err *err)
{
    return tk_packed_rows_sort(&t->packed, o, t->table->n_columns, t->n_rows) ? tk_err_nomem(err, "sorting")
                                                                              : TK_OK;
}

int tk_result_sort(struct tk_result *result, size_t table, const char *column, bool descending,
                   struct tk_err *err)
{
    TK_GIVEN(err, result, column);
    struct tk_kept_table *t = &result->tables.v[table];
    for (uint32_t i = 0; i < t->table->n_columns; i++) {
        if (strcmp(t->table->columns[i].name, column) != 0)
            continue;
        t->table->sort_by = t->table->columns[i].name;
        return (result->packs ? sort_packed : sort_table)(t, &(struct tk_row_order){i, descending}, err);
    }
    return tk_err_set(err, TK_EMATCH, "table '%s' has no column '%s'", t->table->name, column);
}

int tk_result_keep(struct tk_result *result, size_t table, bool (*pass)(void *ctx, const struct tk_cell *row),
                   void *ctx, struct tk_err *err)
{
    struct tk_kept_table *t = &result->tables.v[table];
    if (result->packs)
        return tk_packed_rows_keep(&t->packed, t->table->n_columns, &t->n_rows, pass, ctx)
                   ? tk_err_nomem(err, "rows to keep")
                   : TK_OK;
    const struct tk_cell **rows = malloc((t->n_rows + 1) * sizeof *rows);
    size_t n = 0;
    if (!rows)
        return tk_err_nomem(err, "rows to keep");
    for (size_t i = 0; i < t->n_rows; i++)
        if (pass(ctx, tk_kept_row(t, i)))
            rows[n++] = tk_kept_row(t, i);
    free(t->order);
    t->order = rows;
    t->n_rows = n;
    return TK_OK;
}

void tk_result_top(struct tk_result *result, size_t table, size_t n)
{
    if (!result)
        return;
    struct tk_kept_table *t = &result->tables.v[table];
    if (n < t->n_rows)
        t->n_rows = n;
}

/* Sends up to REPLAY_ROWS rows from `at` on; those that are ordered or packed are gathered in `batch`.
 * `*from` is where the next of packed rows begins. */
static int replay_some(const struct tk_kept_table *t, size_t at, size_t *from, struct tk_cell *batch,
                       const struct tk_sink *sink, struct tk_err *err)
{
    size_t columns = t->table->n_columns;
    size_t n = t->n_rows - at < REPLAY_ROWS ? t->n_rows - at : REPLAY_ROWS;
    struct tk_rows rows = {.n = n, .cells = batch};
    const bool packed = t->packed.bytes.n > 0;
    if (!t->order && !packed)
        rows.cells = t->cells.v + at * columns;
    for (size_t i = 0; packed && i < n; i++)
        *from = tk_packed_rows_get(&t->packed, tk_packed_rows_at(&t->packed, at + i, *from),
                                   batch + i * columns, columns);
    for (size_t i = 0; t->order && i < n; i++)
        memcpy(batch + i * columns, t->order[at + i], columns * sizeof *batch);
    return sink->rows(sink->self, t->table, &rows, err);
}

static int replay_table(const struct tk_kept_table *t, const struct tk_sink *sink, struct tk_err *err)
{
    struct tk_cell *batch = malloc((REPLAY_ROWS * t->table->n_columns + 1) * sizeof *batch);
    size_t from = 0;
    if (!batch)
        return tk_err_nomem(err, "rows to send");
    int rc = sink->begin ? sink->begin(sink->self, t->table, err) : TK_OK;
    for (size_t at = 0; rc >= 0 && sink->rows && at < t->n_rows; at += REPLAY_ROWS)
        rc = replay_some(t, at, &from, batch, sink, err);
    if (rc >= 0 && sink->end)
        rc = sink->end(sink->self, t->table, err);
    free(batch);
    return rc;
}

int tk_result_replay(const struct tk_result *result, const struct tk_sink *sink, struct tk_err *err)
{
    TK_GIVEN(err, result, sink);
    for (size_t i = 0; i < result->tables.n; i++) {
        int rc = replay_table(&result->tables.v[i], sink, err);
        if (rc < 0)
            return rc;
    }
    return TK_OK;
}
