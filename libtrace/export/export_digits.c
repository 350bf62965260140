/*
 * Counts the whole numbers that lose digits in columns of reals, which a database and files of columns keep
 * as doubles. It sits between the reading and the sink.
 */
#include "base/err.h"
#include "base/vec.h"
#include "export/export_in.h"
#include "table/cell.h"

#include <stdlib.h>
#include <string.h>

struct counted {
    const struct tk_table *table; /* borrowed */
    uint64_t *counts;             /* owned, one a column */
};

struct tk_digits {
    const struct tk_export *e;
    const struct tk_sink *inner;
    TK_VEC(struct counted)
    tables; /* that were begun and have not ended: several may be written at one time */
    struct tk_sink sink;
};

static bool is_real(const struct tk_column *column)
{
    return column->kind == TK_REAL || column->kind == TK_REAL32 || column->kind == TK_MEAN;
}

/* A table that was begun, or NULL. */
static struct counted *find(struct tk_digits *d, const struct tk_table *table)
{
    for (size_t i = 0; i < d->tables.n; i++)
        if (d->tables.v[i].table == table)
            return &d->tables.v[i];
    return NULL;
}

static int begin_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_digits *d = self;
    const struct counted t = {table, calloc(table->n_columns + 1u, sizeof *t.counts)};
    if (!t.counts || tk_vec_push(&d->tables, t)) {
        free(t.counts);
        return tk_err_nomem(err, "an export");
    }
    return d->inner->begin ? d->inner->begin(d->inner->self, table, err) : TK_OK;
}

static int count_rows(void *self, const struct tk_table *table, const struct tk_rows *rows,
                      struct tk_err *err)
{
    struct tk_digits *d = self;
    const struct counted *t = find(d, table);
    for (uint32_t i = 0; t && i < table->n_columns; i++)
        for (size_t r = 0; is_real(&table->columns[i]) && r < rows->n; r++)
            t->counts[i] += tk_cell_rounds(&rows->cells[r * table->n_columns + i]);
    return d->inner->rows ? d->inner->rows(d->inner->self, table, rows, err) : TK_OK;
}

static int end_table(void *self, const struct tk_table *table, struct tk_err *err)
{
    struct tk_digits *d = self;
    struct counted *t = find(d, table);
    for (uint32_t i = 0; t && i < table->n_columns; i++) {
        if (t->counts[i])
            d->e->options->rounded(d->e->options->ctx, table->name, table->columns[i].name, t->counts[i]);
    }
    if (t) {
        free(t->counts);
        *t = d->tables.v[--d->tables.n];
    }
    return d->inner->end ? d->inner->end(d->inner->self, table, err) : TK_OK;
}

int tk_digits_new(struct tk_digits **out, const struct tk_sink **sink, const struct tk_export *e,
                  const struct tk_sink *inner, struct tk_err *err)
{
    *out = NULL;
    *sink = inner;
    if (!e->options->rounded)
        return TK_OK;
    struct tk_digits *d = calloc(1, sizeof *d);
    if (!d)
        return tk_err_nomem(err, "an export");
    d->e = e;
    d->inner = inner;
    d->sink = *inner;
    d->sink.self = d;
    d->sink.begin = begin_table;
    d->sink.rows = count_rows;
    d->sink.end = end_table;
    *out = d;
    *sink = &d->sink;
    return TK_OK;
}

void tk_digits_free(struct tk_digits *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->tables.n; i++)
        free(d->tables.v[i].counts);
    tk_vec_release(&d->tables);
    free(d);
}
